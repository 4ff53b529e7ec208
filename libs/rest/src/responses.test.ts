import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { answers } from "../test/answers.js";

const recorded = readFileSync(join(__dirname, "../test/answers.jsonl"), "utf8").trimEnd().split("\n");
const numbered = answers.map(([schema, json], index) => ({
  name: z.globalRegistry.get(schema)!.id!,
  schema,
  text: JSON.stringify(json),
  line: recorded[index],
}));

test.each(numbered)("a $name keeps its bytes: $line", ({ name, text, line }) => {
  expect(`${name} ${text}`).toBe(line);
});

// Parsing drops unknown fields and returns the others in the order of the schema.
test.each(numbered)("a $name has the fields of its schema, in its order: $line", ({ schema, text }) => {
  expect(JSON.stringify(schema.parse(JSON.parse(text)))).toBe(text);
});

test.each(numbered)("every field of a $name has a description: $line", ({ schema }) => {
  expect(undescribed(schema)).toEqual([]);
});

/** Paths of the fields without a description, in a schema and in the objects inside it. */
function undescribed(schema: z.ZodType, at = ""): string[] {
  if (schema instanceof z.ZodNullable) return undescribed(schema.unwrap() as z.ZodType, at);
  if (schema instanceof z.ZodArray) return undescribed(schema.element as z.ZodType, `${at}[]`);
  if (!(schema instanceof z.ZodObject)) return [];
  return Object.entries<z.ZodType>(schema.shape).flatMap(([name, field]) => [
    ...(field.description ? [] : [`${at}.${name}`]),
    ...undescribed(field, `${at}.${name}`),
  ]);
}
