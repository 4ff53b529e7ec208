import Ajv2020, { type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { Got } from "./api.js";

interface Media {
  readonly schema?: object;
}
interface Answered {
  readonly $ref?: string;
  readonly content?: Readonly<Record<string, Media>>;
}
interface Operation {
  readonly responses: Readonly<Record<string, Answered>>;
}

/** An OpenAPI document, as far as answers are checked against it. */
export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly responses: Readonly<Record<string, Answered>>; readonly schemas: object };
}

/** Says whether answers are what an OpenAPI document promises. */
export interface Description {
  readonly document: OpenApi;
  /** @throws when the document knows the path but not this answer to it */
  check(method: string, path: string, got: Got): void;
}

/** A path template as a pattern: namespace paths take several segments, and so does a name at the end. */
const patternOf = (template: string): RegExp =>
  new RegExp(
    `^${template
      .replace(/[.]/g, "\\.")
      .replace(/\{path\}/, "[A-Za-z0-9]+(?:/[A-Za-z0-9]+)*")
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

  /** The answers that the document promises for a request, and where in it they stand. */
  function promised(method: string, path: string) {
    const [plain = ""] = path.split("?");
    const found = templates.find(({ pattern }) => pattern.test(plain));
    const operation = found && document.paths[found.template]![method === "HEAD" ? "get" : method.toLowerCase()];
    return operation && { responses: operation.responses, template: found.template };
  }

  function validator(schema: object): ValidateFunction {
    const key = JSON.stringify(schema);
    const known = compiled.get(key);
    if (known) return known;
    // References start at the document's root.
    const inPlace = JSON.parse(key.replaceAll('"#/', `"${id}#/`));
    const made = ajv.compile(inPlace);
    compiled.set(key, made);
    return made;
  }

  return {
    document,
    check(method, path, { status, headers, json }) {
      const known = promised(method, path);
      if (!known || status === 304 || status === 405) return;
      const named = known.responses[String(status)];
      const what = `${method} ${path} (${known.template}) answered ${status}`;
      if (!named) throw new Error(`${what}, which its description does not know: ${JSON.stringify(json)}`);
      const answer = named.$ref ? document.components.responses[named.$ref.split("/").at(-1)!]! : named;
      const schema = answer.content?.["application/json"]?.schema;
      if (json === undefined || !schema) return;
      const valid = validator(schema);
      if (!valid(json)) throw new Error(`${what}: ${ajv.errorsText(valid.errors)}\n${JSON.stringify(json)}`);
      if (!headers["x-request-id"]) throw new Error(`${what} without X-Request-Id`);
    },
  };
}
