import type { Fields } from "@ci/kit/rpc/fault";
import { z } from "zod";

/** The types that fields of requests have. Each message follows the display name of the field. */
export const text = z.string({ error: "must be a string" }).optional();
export const flag = z.boolean({ error: "must be a boolean" }).optional();
export const texts = z.array(z.string(), { error: "must be an array of strings" }).optional();
export const moment = z.iso
  .datetime({ offset: true, error: "must be an RFC3339 timestamp" })
  .transform((value) => new Date(value))
  .optional();

/** The fields of a request by name. */
export type Shape = Readonly<Record<string, z.ZodType>>;

const displayNames: Readonly<Record<string, string>> = {
  payload_url: "Payload URL",
  handle: "Username or email",
};

/** How messages call a field. */
export const displayName = (field: string): string =>
  displayNames[field] ?? field.charAt(0).toUpperCase() + field.slice(1);

/** What of a body or query fits its shape, and a complaint for each field that does not. */
export interface Reading {
  readonly values: Readonly<Record<string, unknown>>;
  readonly complaints: Fields;
}

/** Reads the fields of a shape; others are ignored, and null counts as left out. */
export function readFields(shape: Shape, given: Readonly<Record<string, unknown>>): Reading {
  const values: Record<string, unknown> = {};
  const complaints: Record<string, string[]> = {};
  for (const [field, type] of Object.entries(shape)) {
    const value = Object.hasOwn(given, field) ? given[field] : undefined;
    if (value === undefined || value === null) continue;
    const parsed = type.safeParse(value);
    if (parsed.success) values[field] = parsed.data;
    else complaints[field] = [`${displayName(field)} ${messageOf(parsed.error)}`];
  }
  return { values, complaints };
}

// An element of a list that is no string has zod's own message; the list is what the field is about.
const messageOf = (error: z.ZodError): string => {
  const [issue] = error.issues;
  return issue!.path.length > 0 ? "must be an array of strings" : issue!.message;
};

/** The values of a shape's fields; a field that was not given is undefined. */
export type Values<S extends Shape> = { readonly [field in keyof S]: z.output<S[field]> };

const booleans: Readonly<Record<string, boolean>> = { true: true, false: false, "1": true, "0": false, on: true };

/** Fields of a form, which are all text, as the types of a shape: a list may have one entry, a boolean is a word. */
export function fromForm(shape: Shape, form: Readonly<Record<string, string | string[]>>): Record<string, unknown> {
  const turned: Record<string, unknown> = { ...form };
  for (const [field, type] of Object.entries(shape)) {
    const value = form[field];
    if (typeof value !== "string") continue;
    const wanted = type instanceof z.ZodOptional ? type.unwrap() : type;
    if (wanted instanceof z.ZodArray) turned[field] = [value];
    if (wanted instanceof z.ZodBoolean) turned[field] = booleans[value] ?? value;
  }
  return turned;
}
