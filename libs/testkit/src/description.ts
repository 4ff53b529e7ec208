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

/** The parts of an OpenAPI document that answers are checked against. */
export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly headers: Readonly<Record<string, Header>>;
    readonly responses: Readonly<Record<string, Answered>>;
    readonly schemas: object;
  };
}

/** Checks answers against an OpenAPI document. */
export interface Description {
  readonly document: OpenApi;
  /** @throws if the document has the path but not this answer */
  check(method: string, path: string, got: Got): void;
}

/** Turns a path template into a pattern. Namespace paths and a name at the end have several segments. */
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

/** Reads an OpenAPI document. */
export function descriptionOf(document: OpenApi): Description {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema({ ...document, $id: id });
  const templates = Object.keys(document.paths).map((template) => ({ template, pattern: patternOf(template) }));
  const compiled = new Map<string, ValidateFunction>();

  /** The answers that the document promises for a request, and its path template. */
  function promised(method: string, path: string) {
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

  /** Checks the type of the content, and JSON against its schema. */
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
      const found = promised(method, path);
      if (!found) return;
      const { responses } = document.components;
      // A method that the path lacks has no operation.
      const answer = got.status === 405 ? responses["405"] : found.responses[String(got.status)];
      // A browser's preflight request is no operation either.
      if (method === "OPTIONS" && got.status === 204) return;
      const what = `${method} ${path} (${found.template}) answered ${got.status}`;
      if (!answer) throw new Error(`${what}, which its description does not know: ${got.text.slice(0, 1_000)}`);
      checkHeaders(what, named(answer, responses), got);
      checkContent(what, named(answer, responses), got);
    },
  };
}
