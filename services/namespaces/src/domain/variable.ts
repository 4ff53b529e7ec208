import type { Scoped } from "@ci/access/record-scope";
import type { Stored } from "@ci/kit/mongo/document";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import type { Variable } from "@ci/proto/namespaces/v1/resources";
import type { Encrypted } from "./encrypted.js";

export interface VariableDoc extends Omit<Stored<Variable>, "value">, Scoped, Encrypted {}

/** Replaces a masked value wherever it could be read. */
export const mask = "xxxxxx";

const minMaskedLength = 6;
const maxValueBytes = fixedLimit({
  max: 65_536,
  unit: "bytes",
  about: "value of a variable",
  refusal: "Value cannot be longer than N bytes",
});
const keyPattern = /^[A-Za-z_][A-Za-z0-9_]*$/;

export function variableKeyComplaints(key: string): string[] {
  if (key === "") return ["Key field required"];
  return keyPattern.test(key) ? [] : [`Key does not match ${keyPattern.source}`];
}

/** Returns what is wrong with a new variable's value. Masking a short value would mask far too much output. */
export function variableValueComplaints(value: string, masked: boolean): string[] {
  if (value === "") return ["Value field required"];
  if (value.includes("\0")) return ["Value cannot contain NUL"];
  if (masked && [...value].length < minMaskedLength)
    return [`Value cannot be shorter than ${minMaskedLength} characters in length`];
  return Buffer.byteLength(value) > maxValueBytes ? [`Value cannot be longer than ${maxValueBytes} bytes`] : [];
}
