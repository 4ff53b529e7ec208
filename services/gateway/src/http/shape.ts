import { fixedLimit } from "@ci/kit/process/fixed-limit";
import type { Fields } from "@ci/kit/rpc/fault";
import { z } from "zod";

/** Entries of a list or of an object. Services have lower limits for some. */
const maxEntries = fixedLimit({
  max: 1_000,
  about: "entries of a list, and of an object, in a request",
  refusal: "Tags cannot have more than N entries",
});
/** Characters of the texts that settings limit. */
export interface Lengths {
  readonly comment: number;
  readonly scope: number;
  /** The limit of a text that has none of its own. */
  readonly text: number;
}
/** Characters of an address. Those that a storage service has signed are long. */
export const maxUrlLength = fixedLimit({
  max: 2_048,
  about: "characters of `payload_url` and `download_url`",
  refusal: "Payload URL cannot be longer than N characters in length",
});

/** Reports whether a text has at most this many characters, of which some take two places of a string. */
const isWithin = (text: string, max: number): boolean =>
  text.length <= max || (text.length <= 2 * max && [...text].length <= max);

const tooLong = (max: number): string => `cannot be longer than ${max} characters in length`;

/** The types that fields of requests have. Each message follows the display name of the field. */
export const textUpTo = (max: number) =>
  z
    .string({ error: "must be a string" })
    .refine((text) => isWithin(text, max), { error: tooLong(max) })
    .meta({ maxLength: max })
    .optional();
/** No service accepts as many characters of a text, except of a manifest. The beginning is as wrong as the whole. */
const maxPassedLength = fixedLimit({
  max: 70_000,
  about: "characters of a text that are passed on to the service that limits its length",
  effect: "the service refuses the beginning, which is too long for it",
});
const cut = (text: string): string => text.slice(0, maxPassedLength);

const wholeText = z.string({ error: "must be a string" });
/** A text whose service limits its length. */
export const text = wholeText.transform(cut).optional();
/** The only text that may be longer. */
export const manifestText = wholeText.optional();
/** A text whose length a setting limits. */
export const limitedText = (limit: keyof Lengths) => wholeText.optional().meta({ limit });
/** A number whose service says which ones it accepts. */
export const number = z.number({ error: "must be a number" }).optional();
export const flag = z.boolean({ error: "must be a boolean" }).optional();
const notTexts = "must be an array of strings";
export const texts = z
  .array(z.string({ error: notTexts }).transform(cut), { error: notTexts })
  .max(maxEntries, { error: `cannot have more than ${maxEntries} entries` })
  .optional();
const notTextsByName = "must be an object of strings";
/** Texts under names that the client chooses. Services limit their number and lengths. */
export const textsByName = z
  .record(z.string(), z.string({ error: notTextsByName }), { error: notTextsByName })
  .optional();
const notScalars = "must be an object of lists of strings, numbers, true, false and null";
/** Lists under names that the client chooses. Services limit their number and lengths. */
export const scalarsByName = z
  .record(
    z.string().transform(cut),
    z.array(z.union([z.string().transform(cut), z.number(), z.boolean(), z.null()], { error: notScalars }), {
      error: notScalars,
    }),
    { error: notScalars },
  )
  .optional();
const notMoment = "must be an RFC3339 timestamp";
const isWritableInUtc = (time: Date): boolean => time.getUTCFullYear() >= 0 && time.getUTCFullYear() <= 9_999;
/** RFC 3339 allows a small `t` and `z` (5.6). */
export const moment = z
  .preprocess(
    (value) => (typeof value === "string" ? value.toUpperCase() : value),
    z.iso.datetime({ offset: true, error: notMoment }),
  )
  .transform((value) => new Date(value))
  .refine(isWritableInUtc, { error: notMoment })
  .optional();

export const search = {
  search: limitedText("text").describe("Only records whose name contains this text, whatever its case"),
};

export const namespace = text.describe("Path of the namespace, created if need be; `path@user` for another user's");

export type Shape = Readonly<Record<string, z.ZodType>>;

const displayNames: Readonly<Record<string, string>> = {
  payload_url: "Payload URL",
  handle: "Username or email",
};

export const displayName = (field: string): string =>
  displayNames[field] ?? field.charAt(0).toUpperCase() + field.slice(1);

/** The fields of a body or query that fit its shape, and a complaint for each field that does not. */
export interface Reading {
  readonly values: Readonly<Record<string, unknown>>;
  readonly complaints: Fields;
}

/** Reads the fields of a shape; others are ignored, and null counts as left out. */
export function readFields(shape: Shape, given: Readonly<Record<string, unknown>>, lengths: Lengths): Reading {
  const values: Record<string, unknown> = {};
  const complaints: Record<string, string[]> = {};
  for (const [field, type] of Object.entries(shape)) {
    const value = Object.hasOwn(given, field) ? given[field] : undefined;
    if (value === undefined || value === null) continue;
    const parsed = type.safeParse(shortened(value));
    const max = lengths[type.meta()?.limit as keyof Lengths] ?? Number.POSITIVE_INFINITY;
    if (typeof value === "string" && !isWithin(value, max))
      complaints[field] = [`${displayName(field)} ${tooLong(max)}`];
    else if (parsed.success && hasReservedName(value))
      complaints[field] = [`${displayName(field)} key ${reservedName} is reserved`];
    else if (parsed.success) values[field] = parsed.data;
    else complaints[field] = [`${displayName(field)} ${messageOf(parsed.error)}`];
  }
  return { values, complaints };
}

const reservedName = "__proto__";
// Zod and the messages of gRPC drop this name from an object.
const hasReservedName = (value: unknown): boolean => typeof value === "object" && Object.hasOwn(value!, reservedName);

/** The beginning of a list, or of an object with its lists, that is too long is as wrong as the whole. No list becomes empty. */
function shortened(value: unknown): unknown {
  let room = maxEntries + 1;
  function beginning(list: readonly unknown[]): unknown[] {
    const kept = list.slice(0, Math.max(room, 1));
    room -= kept.length;
    return kept;
  }
  if (Array.isArray(value)) return beginning(value);
  if (typeof value !== "object") return value;
  const entries = Object.entries(value!).slice(0, maxEntries + 1);
  return Object.fromEntries(entries.map(([name, one]) => [name, Array.isArray(one) ? beginning(one) : one]));
}

const messageOf = ({ issues: [issue] }: z.ZodError): string => issue!.message;

/** The values of a shape's fields; a field that was not given is undefined. */
export type Values<S extends Shape> = { readonly [field in keyof S]: z.output<S[field]> };

const present = (type: z.ZodType) => (type instanceof z.ZodOptional ? type.unwrap() : type);

/** Returns the fields that are objects. */
export const objectFields = (shape: Shape): string[] =>
  Object.keys(shape).filter((field) => present(shape[field]!) instanceof z.ZodRecord);

const decimal = /^-?\d{1,15}(\.\d{1,15})?$/;
const booleans: Readonly<Record<string, boolean>> = { true: true, false: false, "1": true, "0": false, on: true };

/** Converts a form's fields, which are all text, to a shape's types. An empty field is an empty list or object, as forms have no other. */
export function fromForm(shape: Shape, form: Readonly<Record<string, string | string[]>>): Record<string, unknown> {
  const converted: Record<string, unknown> = { ...form };
  for (const [field, type] of Object.entries(shape)) {
    const value = form[field];
    if (typeof value !== "string") continue;
    const inner = present(type);
    if (inner instanceof z.ZodArray) converted[field] = value === "" ? [] : [value];
    if (inner instanceof z.ZodRecord && value === "") converted[field] = {};
    if (inner instanceof z.ZodBoolean) converted[field] = booleans[value] ?? value;
    if (inner instanceof z.ZodNumber && decimal.test(value)) converted[field] = Number(value);
  }
  return converted;
}
