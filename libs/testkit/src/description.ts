import Ajv2020, { type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { ApiResponse } from "./api.js";

interface Media {
  readonly schema?: object;
}
interface Header {
  readonly $ref?: string;
  readonly required?: boolean;
  readonly schema?: { readonly type?: string };
}
interface ResponseObject {
  readonly $ref?: string;
  readonly headers?: Readonly<Record<string, Header>>;
  readonly content?: Readonly<Record<string, Media>>;
}
interface Operation {
  readonly responses: Readonly<Record<string, ResponseObject>>;
}

/** The parts of an OpenAPI document that describe responses. */
interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: Readonly<
    Record<string, { readonly post: { readonly requestBody: Pick<ResponseObject, "content"> } }>
  >;
  readonly components: {
    readonly headers: Readonly<Record<string, Header>>;
    readonly responses: Readonly<Record<string, ResponseObject>>;
    readonly schemas: object;
  };
}

export interface Description {
  readonly document: OpenApi;
  /** @throws if the document has the path but not this response */
  check(method: string, path: string, response: ApiResponse): void;
  /** @throws if the document does not describe this payload of a webhook */
  checkEvent(event: string, payload: unknown): void;
}

/** Returns the pattern of a route. Namespace paths and names of tags and artifacts may have several segments. */
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
    const matched = templates.find(({ pattern }) => pattern.test(plain));
    if (!matched) return undefined;
    const operation = document.paths[matched.template]![method === "HEAD" ? "get" : method.toLowerCase()];
    return { responses: operation?.responses ?? {}, template: matched.template };
  }

  function validator(schema: object): ValidateFunction {
    const key = JSON.stringify(schema);
    const cached = compiled.get(key);
    if (cached) return cached;
    // References are relative to the document's root.
    const inPlace = JSON.parse(key.replaceAll('"#/', `"${id}#/`));
    const validate = ajv.compile(inPlace);
    compiled.set(key, validate);
    return validate;
  }

  const resolved = <T extends { $ref?: string }>(value: T, all: Readonly<Record<string, T>>): T =>
    value.$ref ? all[value.$ref.split("/").at(-1)!]! : value;

  function checkHeaders(title: string, { headers = {} }: ResponseObject, response: ApiResponse): void {
    for (const [name, header] of Object.entries(headers)) {
      const { required, schema = {} } = resolved(header, document.components.headers);
      const text = response.headers[name.toLowerCase()];
      if (text === undefined && required) throw new Error(`${title} without ${name}`);
      const value = schema.type === "integer" ? Number(text) : text;
      if (text !== undefined && !validator(schema)(value)) throw new Error(`${title} with ${name}: ${text}`);
    }
  }

  function checkContent(title: string, { content = {} }: ResponseObject, { headers, bytes, json }: ApiResponse): void {
    const [type = ""] = (headers["content-type"] ?? "").split(";");
    const matched = content[type] ?? content["*/*"];
    if (bytes.length > 0 && !matched) throw new Error(`${title} as ${type}`);
    if (json !== undefined) checkJson(title, matched?.schema, json);
  }

  function checkJson(title: string, schema: object | undefined, json: unknown): void {
    if (!schema) return;
    const valid = validator(schema);
    if (!valid(json)) throw new Error(`${title}: ${ajv.errorsText(valid.errors)}\n${JSON.stringify(json)}`);
  }

  return {
    document,
    checkEvent(event, payload) {
      const schema = document.webhooks[event]?.post.requestBody.content?.["application/json"]?.schema;
      if (!schema) throw new Error(`The document does not describe ${event}`);
      checkJson(event, schema, payload);
    },
    check(method, path, response) {
      const matched = operationOf(method, path);
      if (!matched) return;
      const { responses } = document.components;
      // A 405 and a preflight request belong to no operation.
      const responseObject = response.status === 405 ? responses["405"] : matched.responses[String(response.status)];
      if (method === "OPTIONS" && response.status === 204) return;
      const title = `${method} ${path} (${matched.template}) returned ${response.status}`;
      if (!responseObject)
        throw new Error(`${title}, which the document does not describe: ${response.text.slice(0, 1_000)}`);
      checkHeaders(title, resolved(responseObject, responses), response);
      checkContent(title, resolved(responseObject, responses), response);
    },
  };
}
