import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { responses } from "../test/responses.js";

const recorded = readFileSync(join(__dirname, "../test/responses.jsonl"), "utf8").trimEnd().split("\n");
const numbered = responses.map(([schema, json], index) => ({
  name: z.globalRegistry.get(schema)!.id!,
  schema,
  text: JSON.stringify(json),
  line: recorded[index],
}));

test.each(numbered)("the JSON of a $name is unchanged: $line", ({ name, text, line }) => {
  expect(`${name} ${text}`).toBe(line);
});

// Parsing drops unknown fields and sorts the others as the schema does.
test.each(numbered)("a $name has the fields of its schema in that order: $line", ({ schema, text }) => {
  expect(JSON.stringify(schema.parse(JSON.parse(text)))).toBe(text);
});

test.each(numbered)("every field of a $name has a description: $line", ({ schema }) => {
  expect(undescribed(schema)).toEqual([]);
});

/** Returns the paths of all fields without a description. */
function undescribed(schema: z.ZodType, path = ""): string[] {
  if (schema instanceof z.ZodNullable) return undescribed(schema.unwrap() as z.ZodType, path);
  if (schema instanceof z.ZodArray) return undescribed(schema.element as z.ZodType, `${path}[]`);
  if (!(schema instanceof z.ZodObject)) return [];
  return Object.entries<z.ZodType>(schema.shape).flatMap(([name, field]) => [
    ...(field.description ? [] : [`${path}.${name}`]),
    ...undescribed(field, `${path}.${name}`),
  ]);
}
