import type { Row } from "../http/row.js";
import { type Json, json, schemaOf } from "./schema.js";

/** Response headers by their names in the description. */
export const headers = {
  RequestId: {
    description: "Id of the request, also in the service's logs",
    required: true,
    schema: { type: "string", pattern: "^[A-Za-z0-9_-]{1,64}$" },
  },
  Link: {
    description: "Addresses of the previous and the next page",
    schema: { type: "string", pattern: '^<[^>]+>; rel="(prev|next)"(, <[^>]+>; rel="next")?$' },
  },
  Challenge: {
    description: "How to authenticate",
    required: true,
    schema: { type: "string", enum: ["Bearer", 'Bearer error="invalid_token"'] },
  },
  RetryAfter: {
    description: "Seconds to wait before the next request",
    required: true,
    schema: { type: "integer", minimum: 0 },
  },
  Allow: {
    description: "Methods of the path",
    required: true,
    schema: { type: "string", pattern: "^[A-Z]+(, [A-Z]+)*$" },
  },
  Part: {
    description: "The part of the content that is returned, and its size",
    required: true,
    schema: { type: "string", pattern: "^bytes d+-d+/d+$" },
  },
  Outside: {
    description: "Size of the content",
    required: true,
    schema: { type: "string", pattern: "^bytes */d+$" },
  },
  Modified: {
    description: "When the content last changed",
    required: true,
    schema: { type: "string", pattern: " GMT$" },
  },
} as const;

type HeaderName = keyof typeof headers;

/** A response; each has the request's id. */
function response(description: string, content?: Json, more: Readonly<Record<string, HeaderName>> = {}): Json {
  const named = Object.entries<HeaderName>({ "X-Request-Id": "RequestId", ...more });
  const refs = named.map(([header, name]) => [header, { $ref: `#/components/headers/${name}` }]);
  return { description, headers: Object.fromEntries(refs), ...(content ? { content } : {}) };
}

const messageOf = (schema: Json): Json => ({
  type: "object",
  properties: { message: { ...schema, description: "What is wrong" } },
  required: ["message"],
  additionalProperties: false,
});

const refusal = (description: string, message: string, more?: Readonly<Record<string, HeaderName>>): Json =>
  response(description, json(messageOf({ type: "string", const: message })), more);

/** Responses that any row may give, by status. Only a 403 says more than its status does. */
export const failures: Record<string, Json> = {
  "401": refusal("There is no token, or it is not valid", "Unauthorized", { "WWW-Authenticate": "Challenge" }),
  "403": response("The token lacks the permission", json(messageOf({ type: "string" }))),
  "404": refusal("The record does not exist or is hidden from the caller", "Not Found"),
  "405": refusal("The path exists, but not with this method", "Method Not Allowed", { Allow: "Allow" }),
  "413": refusal("The body is too large", "Request body too large"),
  "416": refusal("The range lies outside the content", "Range Not Satisfiable", { "Content-Range": "Outside" }),
  "429": refusal("The token has sent too many requests", "Too many requests", { "Retry-After": "RetryAfter" }),
  "500": refusal("The service failed unexpectedly", "Internal error"),
  "503": refusal("A backing service cannot be reached", "Service unavailable", { "Retry-After": "RetryAfter" }),
};

const readsBody = ({ action: { body, upload } }: Row): boolean => body !== undefined || upload === true;

/** The media types that can be returned in parts: a badge is drawn for the request, and a stream has no end. */
const divisible = ({ action: { media = [] } }: Row): readonly string[] =>
  media.filter((type) => type !== "image/svg+xml" && type !== "text/event-stream");

/** Whether the response may be content that never changes. */
export const isContent = (row: Row): boolean => row.action.returns !== undefined && isDivisible(row);
/** Whether the client may request a part of the content. */
export const isDivisible = (row: Row): boolean => divisible(row).length > 0;

/** The response to invalid fields, with all complaints about each, or to a body that cannot be read. */
function invalid(row: Row): Record<string, Json> {
  const { body, query, upload, download, refuses } = row.action;
  const fields = [body, query, download].flatMap((shape) => Object.keys(shape ?? {}));
  const names = [...new Set([...fields, ...(upload ? ["file"] : []), ...(refuses ?? [])])];
  if (names.length === 0) return {};
  const list = { type: "array", items: { type: "string" }, minItems: 1 };
  const properties = Object.fromEntries(
    names.map((name) => [name, { ...list, description: `What is wrong with \`${name}\`` }]),
  );
  const map = { type: "object", properties, minProperties: 1, additionalProperties: false };
  const schema = readsBody(row) ? { anyOf: [map, messageOf({ type: "string" })] } : map;
  return { "400": response("Fields are invalid, or the body cannot be read", json(schema)) };
}

/** The statuses that a row may return besides its own and 400. */
function failuresOf(row: Row): string[] {
  const { permission, path, action } = row;
  return [
    ...(permission === "none" ? [] : ["401", "403"]),
    ...(path.includes(":") ? ["404"] : []),
    ...(readsBody(row) || action.raw ? ["413"] : []),
    ...(isDivisible(row) ? ["416"] : []),
    ...(permission === "none" ? [] : ["429"]),
    "500",
    "503",
  ];
}

const raw = (media: readonly string[]): Json =>
  Object.fromEntries(media.map((type) => [type, { schema: { type: "string" } }]));

function successOf(row: Row): Record<string, Json> {
  const { code, action } = row;
  if (code === 204) return { "204": response("Done") };
  const schema = action.returns && schemaOf(action.returns, "output");
  const list = schema && (action.paged || action.many) ? { type: "array", items: schema } : schema;
  const stream = action.event ? { "text/event-stream": { schema: schemaOf(action.event, "output") } } : {};
  const content = { ...(list ? json(list) : {}), ...raw(action.media ?? []), ...stream };
  const part = response("A part of the content", raw(divisible(row)), { "Content-Range": "Part" });
  return {
    [code]: response("Done", content, action.paged ? { Link: "Link" } : {}),
    ...(isDivisible(row) ? { "206": part } : {}),
    ...(isContent(row) ? { "304": response("Not modified", undefined, { "Last-Modified": "Modified" }) } : {}),
  };
}

/** Every response that a row may give. */
export function responsesOf(row: Row): Json {
  const refused = failuresOf(row).map((status) => [status, { $ref: `#/components/responses/${status}` }]);
  return { ...successOf(row), ...invalid(row), ...Object.fromEntries(refused) };
}
