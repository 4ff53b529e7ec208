import type { Stored } from "@ci/kit/mongo/document";
import type { Variable } from "@ci/proto/namespaces/v1/resources";
import type { Scoped } from "./scope.js";
import type { Sealed } from "./sealed.js";

/** A variable as it is kept: its value sealed. */
export interface VariableDoc extends Omit<Stored<Variable>, "value">, Scoped, Sealed {}

/** What stands in the place of a masked value, wherever it would be read. */
export const mask = "xxxxxx";

const shortestMasked = 6;
const largestValueBytes = 65_536;
const keyPattern = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** What is wrong with the key of a new variable. */
export function variableKeyComplaints(key: string): string[] {
  if (key === "") return ["Key field required"];
  return keyPattern.test(key) ? [] : [`Key does not match ${keyPattern.source}`];
}

/** What is wrong with the value of a new variable. A short value cannot be masked: it would blot out all output. */
export function variableValueComplaints(value: string, masked: boolean): string[] {
  if (value === "") return ["Value field required"];
  if (masked && [...value].length < shortestMasked)
    return [`Value cannot be shorter than ${shortestMasked} characters in length`];
  return Buffer.byteLength(value) > largestValueBytes ? [`Value cannot be longer than ${largestValueBytes} bytes`] : [];
}
