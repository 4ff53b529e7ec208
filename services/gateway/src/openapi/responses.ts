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
  RateLimit: {
    description: "Requests left in this minute and the seconds until it ends (draft-ietf-httpapi-ratelimit-headers)",
    schema: { type: "string", pattern: '^"(token|address)";r=\\d+;t=\\d+$' },
  },
  RateLimitPolicy: {
    description: "Requests per minute that the token, or an address without a token, may send",
    schema: { type: "string", pattern: '^"(token|address)";q=\\d+;w=60$' },
  },
  Warning: {
    description: "Names parameters of the query that the route does not know, and has ignored (RFC 7234, section 5.5)",
    schema: { type: "string", pattern: '^299 - "unknown parameter [^"]*"(, 299 - "unknown parameter [^"]*")*$' },
  },
  Allow: {
    description: "Methods of the path",
    required: true,
    schema: { type: "string", pattern: "^[A-Z]+(, [A-Z]+)*$" },
  },
  Part: {
    description: "The part of the content that is returned, and its size",
    required: true,
    schema: { type: "string", pattern: "^bytes \\d+-\\d+/\\d+$" },
  },
  FirstLine: {
    description: "Number of the line in which the text begins, if `first_line` asks for it",
    schema: { type: "integer", minimum: 1 },
  },
  Outside: {
    description: "Size of the content",
    required: true,
    schema: { type: "string", pattern: "^bytes \\*/\\d+$" },
  },
  Replayed: {
    description: "An earlier request with the `Idempotency-Key` has made the record",
    schema: { type: "string", const: "true" },
  },
  File: {
    description: "Name under which clients save the content",
    schema: { type: "string", pattern: "^(attachment|inline); filename=" },
  },
  Modified: {
    description: "When the content last changed",
    required: true,
    schema: { type: "string", pattern: " GMT$" },
  },
} as const;

type HeaderName = keyof typeof headers;

/** Headers of every response; those about limits only where there is one. */
const everywhere = {
  "X-Request-Id": "RequestId",
  RateLimit: "RateLimit",
  "RateLimit-Policy": "RateLimitPolicy",
  Warning: "Warning",
} as const;

function response(description: string, content?: Json, more: Readonly<Record<string, HeaderName>> = {}): Json {
  const named = Object.entries<HeaderName>({ ...everywhere, ...more });
  const refs = named.map(([header, name]) => [header, { $ref: `#/components/headers/${name}` }]);
  return { description, headers: Object.fromEntries(refs), ...(content ? { content } : {}) };
}

const messageOf = (description: string, schema: Json): Json => ({
  type: "object",
  description,
  properties: { message: { ...schema, description: "What is wrong" } },
  required: ["message"],
  additionalProperties: false,
});

const constant = (description: string, message: string) => messageOf(description, { type: "string", const: message });

/** Bodies of failures by their names in the description. Only 400, 403 and 429 say more than their status does. */
export const messages = {
  BadRequest: messageOf("The request cannot be read, or the state forbids it", { type: "string" }),
  Unauthorized: constant("There is no token, or it is not valid", "Unauthorized"),
  Forbidden: messageOf("The token lacks the permission", { type: "string" }),
  NotFound: constant("The record does not exist or is hidden from the caller", "Not Found"),
  MethodNotAllowed: constant("The path exists, but not with this method", "Method Not Allowed"),
  TooLarge: constant("The body is too large", "Request body too large"),
  OutOfRange: constant("The range lies outside the content", "Range Not Satisfiable"),
  TooManyRequests: messageOf("The token, its user or the address has sent too many requests", { type: "string" }),
  InternalError: constant("The service failed unexpectedly", "Internal error"),
  Unavailable: constant("A backing service cannot be reached", "Service unavailable"),
};

const message = (name: keyof typeof messages): Json => ({ $ref: `#/components/schemas/${name}` });

const failure = (name: keyof typeof messages, more?: Readonly<Record<string, HeaderName>>): Json =>
  response(messages[name].description as string, json(message(name)), more);

export const failures: Record<string, Json> = {
  "401": failure("Unauthorized", { "WWW-Authenticate": "Challenge" }),
  "403": failure("Forbidden"),
  "404": failure("NotFound"),
  "405": failure("MethodNotAllowed", { Allow: "Allow" }),
  "413": failure("TooLarge"),
  "416": failure("OutOfRange", { "Content-Range": "Outside" }),
  "429": failure("TooManyRequests", { "Retry-After": "RetryAfter" }),
  "500": failure("InternalError"),
  "503": failure("Unavailable", { "Retry-After": "RetryAfter" }),
};

const readsBody = ({ action: { body, upload, raw } }: Row): boolean =>
  body !== undefined || upload === true || raw === true;

/** The media types that can be returned in parts. A stream has no end. */
const divisible = ({ action: { file, media = [] } }: Row): readonly string[] =>
  file ? media.filter((type) => type !== "text/event-stream") : [];

/** Reports whether the response may be content that never changes. */
export const isContent = (row: Row): boolean => row.action.returns !== undefined && isDivisible(row);
export const isDivisible = (row: Row): boolean => divisible(row).length > 0;

/** Describes the response to an unreadable request, or to invalid fields, with all complaints about each. */
function invalid(row: Row): Record<string, Json> {
  const { body, query, upload, download, refuses } = row.action;
  const fields = [body, query, download].flatMap((shape) => Object.keys(shape ?? {}));
  const names = [...new Set([...fields, ...(upload ? ["file"] : []), ...(refuses ?? [])])];
  if (names.length === 0) return { "400": response("The request cannot be read", json(message("BadRequest"))) };
  const list = { type: "array", items: { type: "string" }, minItems: 1 };
  const properties = Object.fromEntries(
    names.map((name) => [name, { ...list, description: `What is wrong with \`${name}\`` }]),
  );
  const map = { type: "object", properties, minProperties: 1, additionalProperties: false };
  const schema = { anyOf: [map, message("BadRequest")] };
  return { "400": response("Fields are invalid, or the request cannot be read", json(schema)) };
}

/** Returns the statuses that a row may return besides its own and 400. */
function failuresOf(row: Row): string[] {
  const { permission, path, action } = row;
  return [
    ...(permission === "none" && !action.signsIn ? [] : ["401", "403"]),
    ...(path.includes(":") ? ["404"] : []),
    ...(readsBody(row) ? ["413"] : []),
    ...(isDivisible(row) ? ["416"] : []),
    "429",
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
  const line: Record<string, HeaderName> = action.query?.first_line ? { "X-First-Line": "FirstLine" } : {};
  const file = { "Content-Disposition": "File", ...line } as const;
  const part = response("A part of the content", raw(divisible(row)), { "Content-Range": "Part", ...file });
  return {
    [code]: response("Done", content, {
      ...(action.paged ? { Link: "Link" } : {}),
      ...(action.repeatable ? { "Idempotent-Replayed": "Replayed" } : {}),
      ...(isDivisible(row) ? file : {}),
    }),
    ...(isDivisible(row) ? { "206": part } : {}),
    ...(isContent(row) ? { "304": response("Not modified", undefined, { "Last-Modified": "Modified" }) } : {}),
  };
}

export function responsesOf(row: Row): Json {
  const refused = failuresOf(row).map((status) => [status, { $ref: `#/components/responses/${status}` }]);
  return { ...successOf(row), ...invalid(row), ...Object.fromEntries(refused) };
}
