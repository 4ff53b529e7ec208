import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { quoted } from "@ci/kit/rpc/fault";
import type { BuildDoc } from "./build.js";

/** A variable that was given with the request for a build. */
export interface Parameter {
  readonly key: string;
  readonly value: string;
  /** Set if it was masked in the restarted build. Otherwise a stored variable with the same key decides. */
  readonly masked?: boolean;
}

const maxParameters = fixedLimit({
  max: 100,
  about: "variables in a request for a build",
  refusal: "Variables cannot exceed N per build",
});
const maxKeyLength = fixedLimit({
  max: 255,
  about: "characters of the key of a variable in a request for a build",
  refusal: "Variables key cannot be longer than N characters in length",
});
const maxValueBytes = fixedLimit({
  max: 65_536,
  unit: "bytes",
  about: "value of a variable in a request for a build",
  refusal: "Variables value of KEY cannot be longer than N bytes",
});
const maxBytes = fixedLimit({
  max: 1024 ** 2,
  unit: "bytes",
  about: "values of the variables in a request for a build together",
  refusal: "Variables cannot exceed N bytes per build",
});
const keyPattern = /^[A-Za-z_][A-Za-z0-9_]*$/;

function entryComplaints({ key, value }: Parameter): string[] {
  if (key.length > maxKeyLength) return [`Variables key cannot be longer than ${maxKeyLength} characters in length`];
  if (!keyPattern.test(key)) return [`Variables key ${quoted(key)} does not match ${keyPattern.source}`];
  const about = `Variables value of ${key}`;
  if (value.includes("\0")) return [`${about} cannot contain NUL`];
  return Buffer.byteLength(value) > maxValueBytes ? [`${about} cannot be longer than ${maxValueBytes} bytes`] : [];
}

/** Returns what is wrong with the parameters of a build, each complaint once. */
export function parameterComplaints(parameters: readonly Parameter[]): string[] {
  if (parameters.length > maxParameters) return [`Variables cannot exceed ${maxParameters} per build`];
  const bytes = parameters.reduce((sum, { value }) => sum + Buffer.byteLength(value), 0);
  if (bytes > maxBytes) return [`Variables cannot exceed ${maxBytes} bytes per build`];
  return [...new Set(parameters.flatMap(entryComplaints))];
}

/** Returns the parameters of a request, or one more than the limit if there are too many. */
export const parametersOf = (given: Readonly<Record<string, string>>): Parameter[] =>
  Object.entries(given)
    .slice(0, maxParameters + 1)
    .map(([key, value]) => ({ key, value }));

/** Returns the parameters for a build's restart. Those in `given` replace the old ones. `open` decrypts. */
export function parametersAgain(
  { variables }: Pick<BuildDoc, "variables">,
  given: readonly Parameter[],
  open: (sealed: string, id: number) => string,
): Parameter[] {
  const old = variables.filter(({ isParameter }) => isParameter);
  const byKey = new Map(old.map(({ id, key, masked, sealed }) => [key, { key, masked, value: open(sealed, id) }]));
  const replaced = given.map((one) => ({ ...one, masked: byKey.get(one.key)?.masked ?? false }));
  return [...new Map([...byKey.values(), ...replaced].map((one) => [one.key, one])).values()];
}
