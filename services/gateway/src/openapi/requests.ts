import { z } from "zod";
import { maxKeyLength } from "../http/idempotency-key.js";
import { namespacePattern } from "../http/match.js";
import type { Action, Row } from "../http/row.js";
import { objectFields, type Shape } from "../http/shape.js";
import { isContent, isDivisible } from "./responses.js";
import { type Json, json, schemaOf } from "./schema.js";

const integer = { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER };
const namespacePath = { type: "string", pattern: namespacePattern };
const text = { type: "string", minLength: 1 };

const pathParameters: Readonly<Record<string, { description: string; schema: Json }>> = {
  user: { description: "Name of a user; of a collaborator also the e-mail address", schema: text },
  username: { description: "Name of the user, or of the namespace's owner", schema: text },
  path: { description: "Path of the namespace", schema: namespacePath },
  name: { description: "Name of the record; slashes in it may stand as they are", schema: text },
  provider: { description: "What hosts the repository: `github`, `gitlab` or `gitea`", schema: text },
  number: { description: "Number of the build", schema: integer },
  id: { description: "Id of the record", schema: integer },
  delivery: { description: "Id of the delivery", schema: integer },
};

const inPath = (path: string): Json[] =>
  [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({ name, in: "path", required: true, ...pathParameters[name!] }));

const page = {
  name: "page",
  in: "query",
  description: "Number of the page, from 1; a page has 25 records",
  schema: { type: "integer", minimum: 1 },
};

const file = {
  name: "download",
  in: "query",
  description: "Any value but `false`: returns the content as a file to save, whatever `Accept` says",
  allowEmptyValue: true,
  schema: { type: "string" },
};

function inQuery({ query = {}, paged, file: isFile }: Action): Json[] {
  const named = Object.entries(query).map(([name, type]) => {
    const { description, ...schema } = schemaOf(type, "input");
    return { name, in: "query", description, schema };
  });
  return [...named, ...(paged ? [page] : []), ...(isFile ? [file] : [])];
}

const header = (name: string, description: string, limits: Json = {}): Json => ({
  name,
  in: "header",
  description,
  schema: { type: "string", ...limits },
});

const keyLimits = { minLength: 1, maxLength: 2 * maxKeyLength + 2, pattern: "^[ -~]+$" };
const aboutKey =
  "Makes it safe to repeat the request: if one of yours with this key has made a build, that build is returned, as it is now";

/** Returns the request headers that change the response. */
const inHeader = (row: Row): Json[] => [
  ...(row.action.repeatable ? [header("Idempotency-Key", aboutKey, keyLimits)] : []),
  ...(isDivisible(row) ? [header("Range", "The part of the content to return, such as `bytes=0-99`")] : []),
  ...(isContent(row) ? [header("If-Modified-Since", "Returns 304 if the content has not changed since")] : []),
  ...(row.action.media?.includes("text/event-stream")
    ? [header("Last-Event-ID", "Id of the last event that the client has; the stream continues after it")]
    : []),
];

export const parametersOf = (row: Row): Json[] => [...inPath(row.path), ...inQuery(row.action), ...inHeader(row)];

const objectOf = (shape: Shape, required: readonly string[] = []): Json => ({
  ...schemaOf(z.object(shape), "input"),
  ...(required.length > 0 ? { required } : {}),
});

const binary = { type: "string", format: "binary" };

/** Describes how content is sent: as the body, as a part of a form, or as JSON with its download URL. */
function uploadContent({ query = {}, download }: Action): Json {
  const { properties = {}, ...form } = objectOf(query, ["file"]) as { properties?: Json };
  const file = { ...binary, description: "The content" };
  return {
    "application/octet-stream": { schema: binary },
    "multipart/form-data": { schema: { ...form, properties: { ...properties, file } } },
    ...(download ? json(objectOf(download, ["name", "download_url"])) : {}),
  };
}

// Forms with the same fields are only mentioned: openapi-python-client 0.29 fails at several content types.
export function bodyOf(action: Action): Json {
  const { body, whole, upload, raw, required = [] } = action;
  if (raw) return { requestBody: { required: true, content: { "*/*": { schema: binary } } } };
  if (upload) return { requestBody: { required: true, content: uploadContent(action) } };
  if (!body) return {};
  if (whole) return { requestBody: { required: true, content: json(schemaOf(body[whole]!, "input")) } };
  const emptyInForms = objectFields(body).map((field) => `; \`${field}\` can only be empty there`);
  const description = `The same fields may be sent as a form, urlencoded or multipart${emptyInForms.join("")}`;
  const content = json(objectOf(body, required));
  return { requestBody: { description, required: required.length > 0, content } };
}
