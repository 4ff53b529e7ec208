import Ajv2020, { type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { Got } from "./api.js";

interface Media {
  readonly schema?: object;
}
interface Header {
  readonly $ref?: string;
  readonly required?: boolean;
  readonly schema?: { readonly type?: string };
}
interface Answered {
  readonly $ref?: string;
  readonly headers?: Readonly<Record<string, Header>>;
  readonly content?: Readonly<Record<string, Media>>;
}
interface Operation {
  readonly responses: Readonly<Record<string, Answered>>;
}

/** The parts of an OpenAPI document that describe responses. */
export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly headers: Readonly<Record<string, Header>>;
    readonly responses: Readonly<Record<string, Answered>>;
    readonly schemas: object;
  };
}

export interface Description {
  readonly document: OpenApi;
  /** @throws if the document has the path but not this response */
  check(method: string, path: string, got: Got): void;
}

/** Namespace paths, and names of tags and artifacts, have several segments. */
const patternOf = (template: string): RegExp =>
  new RegExp(
    `^${template
      .replace(/[.]/g, "\\.")
      .replace(/\{path\}/, "[A-Za-z0-9][\\w.-]*(?:/[A-Za-z0-9][\\w.-]*)*")
      .replace(/(tags|artifacts)\/\{name\}$/, "$1/.+")
      .replace(/\{(number|id|delivery)\}/g, "\\d+")
      .replace(/\{\w+\}/g, "[^/]+")}/?$`,
  );

const id = "api";

export function descriptionOf(document: OpenApi): Description {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema({ ...document, $id: id });
  const templates = Object.keys(document.paths).map((template) => ({ template, pattern: patternOf(template) }));
  const compiled = new Map<string, ValidateFunction>();

  function operationOf(method: string, path: string) {
    const [plain = ""] = path.split("?");
    const found = templates.find(({ pattern }) => pattern.test(plain));
    if (!found) return undefined;
    const operation = document.paths[found.template]![method === "HEAD" ? "get" : method.toLowerCase()];
    return { responses: operation?.responses ?? {}, template: found.template };
  }

  function validator(schema: object): ValidateFunction {
    const key = JSON.stringify(schema);
    const cached = compiled.get(key);
    if (cached) return cached;
    // References are relative to the document's root.
    const inPlace = JSON.parse(key.replaceAll('"#/', `"${id}#/`));
    const made = ajv.compile(inPlace);
    compiled.set(key, made);
    return made;
  }

  const named = <T extends { $ref?: string }>(of: T, all: Readonly<Record<string, T>>): T =>
    of.$ref ? all[of.$ref.split("/").at(-1)!]! : of;

  function checkHeaders(what: string, { headers = {} }: Answered, got: Got): void {
    for (const [name, given] of Object.entries(headers)) {
      const { required, schema = {} } = named(given, document.components.headers);
      const text = got.headers[name.toLowerCase()];
      if (text === undefined && required) throw new Error(`${what} without ${name}`);
      const value = schema.type === "integer" ? Number(text) : text;
      if (text !== undefined && !validator(schema)(value)) throw new Error(`${what} with ${name}: ${text}`);
    }
  }

  function checkContent(what: string, { content = {} }: Answered, { headers, bytes, json }: Got): void {
    const [type = ""] = (headers["content-type"] ?? "").split(";");
    const found = content[type] ?? content["*/*"];
    if (bytes.length > 0 && !found) throw new Error(`${what} as ${type}`);
    if (json === undefined || !found?.schema) return;
    const valid = validator(found.schema);
    if (!valid(json)) throw new Error(`${what}: ${ajv.errorsText(valid.errors)}\n${JSON.stringify(json)}`);
  }

  return {
    document,
    check(method, path, got) {
      const found = operationOf(method, path);
      if (!found) return;
      const { responses } = document.components;
      // A 405 and a preflight request belong to no operation.
      const answer = got.status === 405 ? responses["405"] : found.responses[String(got.status)];
      if (method === "OPTIONS" && got.status === 204) return;
      const what = `${method} ${path} (${found.template}) returned ${got.status}`;
      if (!answer) throw new Error(`${what}, which the document does not describe: ${got.text.slice(0, 1_000)}`);
      checkHeaders(what, named(answer, responses), got);
      checkContent(what, named(answer, responses), got);
    },
  };
}
