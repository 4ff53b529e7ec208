import { z } from "zod";

export const id = z.int().positive();
/** RFC 3339 in UTC, with milliseconds. */
export const timestamp = z.iso.datetime({ precision: 3 });
export const url = z.url();
export const md5 = z.string().regex(/^[0-9a-f]{32}$/);
export const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
export const bytes = z.int().nonnegative();

/** Returns the schema of a public record. Names and descriptions, also those of the fields, appear in /openapi.json. */
export const record = <S extends z.ZodRawShape>(name: string, description: string, fields: S) =>
  z.object(fields).meta({ id: name, description });
