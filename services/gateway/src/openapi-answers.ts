import { type Json, json, schemaOf } from "./openapi-schema.js";
import type { Row } from "./row.js";

/** Headers of answers, by their names in the description. */
export const headers = {
  RequestId: { required: true, schema: { type: "string", pattern: "^[A-Za-z0-9_-]{1,64}$" } },
  Link: { schema: { type: "string", pattern: '^<[^>]+>; rel="(prev|next)"(, <[^>]+>; rel="next")?$' } },
  Challenge: { required: true, schema: { enum: ["Bearer", 'Bearer error="invalid_token"'] } },
  RetryAfter: { required: true, schema: { type: "integer", minimum: 0 } },
  Allow: { required: true, schema: { type: "string", pattern: "^[A-Z]+(, [A-Z]+)*$" } },
  Part: { required: true, schema: { type: "string", pattern: "^bytes \\d+-\\d+/\\d+$" } },
  Outside: { required: true, schema: { type: "string", pattern: "^bytes \\*/\\d+$" } },
  File: { schema: { type: "string", pattern: "^(attachment|inline); filename=" } },
  Modified: { required: true, schema: { type: "string", pattern: " GMT$" } },
} as const;

type HeaderName = keyof typeof headers;

/** An answer; each has the request's id. */
function answer(description: string, content?: Json, more: Readonly<Record<string, HeaderName>> = {}): Json {
  const named = Object.entries<HeaderName>({ "X-Request-Id": "RequestId", ...more });
  const refs = named.map(([header, name]) => [header, { $ref: `#/components/headers/${name}` }]);
  return { description, headers: Object.fromEntries(refs), ...(content ? { content } : {}) };
}

const messageOf = (schema: Json): Json => ({
  type: "object",
  properties: { message: schema },
  required: ["message"],
  additionalProperties: false,
});

const refusal = (description: string, message: string, more?: Readonly<Record<string, HeaderName>>): Json =>
  answer(description, json(messageOf({ const: message })), more);

/** Answers that any row may give, by status. Only a 403 says more than what its status does. */
export const failures: Record<string, Json> = {
  "401": refusal("No token, or one that is not valid", "Unauthorized", { "WWW-Authenticate": "Challenge" }),
  "403": answer("The token lacks the permission", json(messageOf({ type: "string" }))),
  "404": refusal("Unknown, or not to be known", "Not Found"),
  "405": refusal("Known path, other method", "Method Not Allowed", { Allow: "Allow" }),
  "413": refusal("Body too large", "Request body too large"),
  "416": refusal("Range outside the content", "Range Not Satisfiable", { "Content-Range": "Outside" }),
  "429": refusal("Too many requests", "Too many requests", { "Retry-After": "RetryAfter" }),
  "500": refusal("Unexpected fault", "Internal error"),
  "503": refusal("A backing service cannot be reached", "Service unavailable", { "Retry-After": "RetryAfter" }),
};

/** Whether the body of a request matters. */
const reads = ({ action: { body, upload } }: Row): boolean => body !== undefined || upload === true;

/** What may be asked for in parts: neither what is drawn for the request nor what has no end. */
const inParts = ({ action: { media = [] } }: Row): readonly string[] =>
  media.filter((type) => type !== "image/svg+xml" && type !== "text/event-stream");

/** Whether the answer may be content that stays as it is. */
export const isContent = (row: Row): boolean => row.action.answer !== undefined && inParts(row).length > 0;
/** Whether a part of the answer may be asked for. */
export const hasParts = (row: Row): boolean => inParts(row).length > 0;

/** What a row complains about: each field that is wrong with all there is to say, or a body that cannot be read. */
function complaints(row: Row): Record<string, Json> {
  const { body, query, upload, download, refuses } = row.action;
  const fields = [body, query, download].flatMap((shape) => Object.keys(shape ?? {}));
  const names = [...new Set([...fields, ...(upload ? ["file"] : []), ...(refuses ?? [])])];
  if (names.length === 0) return {};
  const list = { type: "array", items: { type: "string" }, minItems: 1 };
  const properties = Object.fromEntries(names.map((name) => [name, list]));
  const map = { type: "object", properties, minProperties: 1, additionalProperties: false };
  const schema = reads(row) ? { anyOf: [map, messageOf({ type: "string" })] } : map;
  return { "400": answer("Fields that are wrong, with all complaints, or a body that cannot be read", json(schema)) };
}

/** The statuses a row may answer besides its own and 400. */
function failuresOf(row: Row): string[] {
  const { permission, path, action } = row;
  return [
    ...(permission === "none" ? [] : ["401", "403"]),
    ...(path.includes(":") ? ["404"] : []),
    ...(reads(row) || action.raw ? ["413"] : []),
    ...(hasParts(row) ? ["416"] : []),
    ...(permission === "none" ? [] : ["429"]),
    "500",
    "503",
  ];
}

const raw = (media: readonly string[]): Json =>
  Object.fromEntries(media.map((type) => [type, { schema: { type: "string" } }]));

function successOf(row: Row): Record<string, Json> {
  const { code, action } = row;
  if (code === 204) return { "204": answer("Done") };
  const schema = action.answer && schemaOf(action.answer, "output");
  const list = schema && (action.paged || action.many) ? { type: "array", items: schema } : schema;
  const stream = action.event ? { "text/event-stream": { schema: schemaOf(action.event, "output") } } : {};
  const content = { ...(list ? json(list) : {}), ...raw(action.media ?? []), ...stream };
  const part = answer("A part of the content", raw(inParts(row)), {
    "Content-Range": "Part",
    "Content-Disposition": "File",
  });
  return {
    [code]: answer("Done", content, {
      ...(action.paged ? { Link: "Link" as const } : {}),
      ...(hasParts(row) ? { "Content-Disposition": "File" as const } : {}),
    }),
    ...(hasParts(row) ? { "206": part } : {}),
    ...(isContent(row) ? { "304": answer("Not modified", undefined, { "Last-Modified": "Modified" }) } : {}),
  };
}

/** Everything that a row may answer. */
export function answersOf(row: Row): Json {
  const refused = failuresOf(row).map((status) => [status, { $ref: `#/components/responses/${status}` }]);
  return { ...successOf(row), ...complaints(row), ...Object.fromEntries(refused) };
}
