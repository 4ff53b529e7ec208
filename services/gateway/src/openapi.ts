import { z } from "zod";
import type { Action, Row } from "./row.js";
import * as schemas from "./schemas.js";
import type { Shape } from "./shape.js";

type Json = Readonly<Record<string, unknown>>;

const names = new Map<unknown, string>(
  Object.entries(schemas).map(([name, schema]) => [schema, name.charAt(0).toUpperCase() + name.slice(1)]),
);

/** A zod type as JSON schema. The records of schemas.ts are named once and referred to everywhere else. */
function schemaOf(type: z.ZodType, io: "input" | "output", top?: string): Json {
  const registry = z.registry<{ id: string }>();
  const { $schema, $defs, ...schema } = z.toJSONSchema(type, {
    io,
    target: "draft-2020-12",
    override({ zodSchema, jsonSchema }) {
      const name = names.get(zodSchema);
      if (!name || name === top) return;
      for (const key of Object.keys(jsonSchema)) delete (jsonSchema as Record<string, unknown>)[key];
      (jsonSchema as Record<string, unknown>).$ref = `#/components/schemas/${name}`;
    },
    metadata: registry,
  });
  return schema;
}

const json = (schema: Json): Json => ({ "application/json": { schema } });

const fieldMap = { type: "object", additionalProperties: { type: "array", items: { type: "string" } } };
const message = { type: "object", properties: { message: { type: "string" } }, required: ["message"] };

/** Answers that every row may give, by status. */
const failures: Record<string, string> = {
  "400": "Fields that are wrong, with all complaints, or a body that cannot be read",
  "401": "No token, or one that is not valid",
  "403": "The token lacks the permission",
  "404": "Unknown, or not to be known",
  "405": "Known path, other method",
  "413": "Body too large",
  "416": "Range outside the content",
  "429": "Too many requests",
  "500": "Unexpected fault",
  "503": "A backing service cannot be reached",
};

/** Content that is made anew for each request, or never ends, has no parts. */
const wholeOnly: readonly string[] = ["image/svg+xml", "text/event-stream"];
const hasParts = ({ media = [] }: Action): boolean => media.some((type) => !wholeOnly.includes(type));

/** The statuses a row may answer besides its own. */
function failuresOf({ permission, action }: Row): string[] {
  const reads = action.body !== undefined || action.upload === true;
  return [
    ...(reads || action.query || action.refuses ? ["400"] : []),
    ...(permission === "none" ? [] : ["401", "403"]),
    "404",
    ...(reads || action.raw ? ["413"] : []),
    ...(hasParts(action) ? ["416"] : []),
    ...(permission === "none" ? [] : ["429"]),
    "500",
    "503",
  ];
}

const integer = { type: "integer", minimum: 0 };

/** The parameters in a row's path, and the path as OpenAPI writes it. */
function pathOf(path: string): { path: string; parameters: Json[] } {
  const parameters: Json[] = [];
  const written = path.replace(/:(\w+)\+?/g, (_, name: string) => {
    const isNumber = ["number", "id", "delivery"].includes(name);
    const schema = isNumber ? integer : { type: "string" };
    parameters.push({ name, in: "path", required: true, schema });
    return `{${name}}`;
  });
  return { path: written, parameters };
}

function queryOf({ query = {}, paged }: Action): Json[] {
  const named = Object.entries(query).map(([name, type]) => ({ name, in: "query", schema: schemaOf(type, "input") }));
  return paged ? [...named, { name: "page", in: "query", schema: { type: "integer", minimum: 1 } }] : named;
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

function answerOf({ code, action }: Row): Json {
  const { answer, paged, many, media = [] } = action;
  if (code === 204) return { "204": { description: "Done" } };
  const schema = answer && schemaOf(answer, "output");
  const list = schema && (paged || many) ? { type: "array", items: schema } : schema;
  const raw = Object.fromEntries(media.map((type) => [type, { schema: { type: "string" } }]));
  const headers = paged ? { headers: { Link: { schema: { type: "string" } } } } : {};
  const whole = { description: "Done", ...headers, content: { ...(list ? json(list) : {}), ...raw } };
  const part = hasParts(action) && code === 200;
  return part ? { [code]: whole, "206": { description: "A part of the content", content: raw } } : { [code]: whole };
}

const camel = (name: string): string => name.replace(/[^a-z]+(\w)/gi, (_, first: string) => first.toUpperCase());

function operation(row: Row, parameters: Json[], path: string): Json {
  const asked = typeof row.permission === "string" ? [row.permission] : row.permission;
  const open = row.permission === "none";
  const refused = failuresOf(row).map((status) => [status, { $ref: `#/components/responses/${status}` }]);
  return {
    operationId: camel(`${row.method.toLowerCase()} ${path.replace(/[{}]/g, "")}`),
    summary: row.action.summary,
    ...(open ? { security: [] } : {}),
    ...(open || asked[0] === "any" ? {} : { "x-permissions": asked }),
    parameters: [...parameters, ...queryOf(row.action)],
    ...bodyOf(row.action),
    responses: { ...answerOf(row), ...Object.fromEntries(refused) },
  };
}

/** The OpenAPI 3.1 description of the table. */
export function describe(rows: readonly Row[], publicUrl: string, build: string): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const row of rows) {
    const { path, parameters } = pathOf(row.path);
    paths[path] = { ...paths[path], [row.method.toLowerCase()]: operation(row, parameters, path) };
  }
  const records = Object.entries(schemas).map(([, schema]) => {
    const name = names.get(schema)!;
    return [name, schemaOf(schema, "output", name)];
  });
  const responses = Object.entries(failures).map(([status, description]) => {
    const content = json(status === "400" ? { anyOf: [message, fieldMap] } : message);
    return [status, { description, content }];
  });
  return {
    openapi: "3.1.0",
    info: { title: "Service CI", version: build },
    servers: [{ url: publicUrl }],
    security: [{ token: [] }],
    paths,
    components: {
      schemas: Object.fromEntries(records),
      responses: Object.fromEntries(responses),
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
    },
  };
}
