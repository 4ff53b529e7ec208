import { z } from "zod";
import { namespacePattern } from "./match.js";
import { answersOf, failures, hasParts, headers, isContent } from "./openapi-answers.js";
import { type Json, json, records, schemaOf } from "./openapi-schema.js";
import type { Action, Row } from "./row.js";
import type { Shape } from "./shape.js";

const integer = { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER };
const namespacePath = { type: "string", pattern: namespacePattern };

/** The parameters in a row's path, and the path as OpenAPI writes it. */
function pathOf(path: string): { path: string; parameters: Json[] } {
  const parameters: Json[] = [];
  const written = path.replace(/:(\w+)\+?/g, (_, name: string) => {
    const isNumber = ["number", "id", "delivery"].includes(name);
    const text = name === "path" ? namespacePath : { type: "string", minLength: 1 };
    const schema = isNumber ? integer : text;
    parameters.push({ name, in: "path", required: true, schema });
    return `{${name}}`;
  });
  return { path: written, parameters };
}

function queryOf({ query = {}, paged }: Action): Json[] {
  const named = Object.entries(query).map(([name, type]) => ({ name, in: "query", schema: schemaOf(type, "input") }));
  return paged ? [...named, { name: "page", in: "query", schema: { type: "integer", minimum: 1 } }] : named;
}

/** Headers that change the answer. */
function headersOf(row: Row): Json[] {
  const wanted = [
    ...(hasParts(row) ? ["Range"] : []),
    ...(isContent(row) ? ["If-Modified-Since"] : []),
    ...(row.action.media?.includes("text/event-stream") ? ["Last-Event-ID"] : []),
  ];
  return wanted.map((name) => ({ name, in: "header", schema: { type: "string" } }));
}

const object = (shape: Shape): Json => schemaOf(z.object(shape), "input");

function bodyOf({ body, whole, upload, raw, query = {}, download }: Action): Json {
  if (raw) return { requestBody: { content: { "*/*": { schema: { type: "string", format: "binary" } } } } };
  if (upload) {
    const binary = { type: "string", format: "binary" };
    const form = { type: "object", properties: { ...(object(query).properties as Json), file: binary } };
    const content = { "application/octet-stream": { schema: binary }, "multipart/form-data": { schema: form } };
    return { requestBody: { content: { ...content, ...(download ? json(object(download)) : {}) } } };
  }
  if (!body) return {};
  if (whole) return { requestBody: { content: json(schemaOf(body[whole]!, "input")) } };
  const schema = object(body);
  const form = { "application/x-www-form-urlencoded": { schema }, "multipart/form-data": { schema } };
  return { requestBody: { content: { ...json(schema), ...form } } };
}

const camel = (name: string): string => name.replace(/[^a-z]+(\w)/gi, (_, first: string) => first.toUpperCase());

function operation(row: Row, parameters: Json[], path: string): Json {
  const asked = typeof row.permission === "string" ? [row.permission] : row.permission;
  const open = row.permission === "none";
  return {
    operationId: camel(`${row.method.toLowerCase()} ${path.replace(/[{}]/g, "")}`),
    summary: row.action.summary,
    ...(open ? { security: [] } : {}),
    ...(open || asked[0] === "any" ? {} : { "x-permissions": asked }),
    parameters: [...parameters, ...queryOf(row.action), ...headersOf(row)],
    ...bodyOf(row.action),
    responses: answersOf(row),
  };
}

/** The OpenAPI 3.1 description of the table. */
export function describe(rows: readonly Row[], publicUrl: string, build: string): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const row of rows) {
    const { path, parameters } = pathOf(row.path);
    paths[path] = { ...paths[path], [row.method.toLowerCase()]: operation(row, parameters, path) };
  }
  return {
    openapi: "3.1.0",
    info: { title: "Service CI", version: build },
    servers: [{ url: publicUrl }],
    security: [{ token: [] }],
    paths,
    components: {
      schemas: records(),
      headers,
      responses: failures,
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
    },
  };
}
