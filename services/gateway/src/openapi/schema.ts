import { z } from "zod";
import * as schemas from "../schemas.js";

/** A piece of the description. */
export type Json = Readonly<Record<string, unknown>>;

const names = new Map<unknown, string>(
  Object.entries(schemas).map(([name, schema]) => [schema, name.charAt(0).toUpperCase() + name.slice(1)]),
);

/** A zod type as JSON schema. The records of schemas.ts are named once and referred to everywhere else. */
export function schemaOf(type: z.ZodType, io: "input" | "output", top?: string): Json {
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

/** The records by their names. */
export const records = (): Json =>
  Object.fromEntries([...names].map(([schema, name]) => [name, schemaOf(schema as z.ZodType, "output", name)]));

/** Content that is JSON. */
export const json = (schema: Json): Json => ({ "application/json": { schema } });
