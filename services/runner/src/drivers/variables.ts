import { roundedSize } from "@ci/kit/bytes/size-text";
import type { Job, Order } from "../driver.js";

/** Returns the variables of a job. Those of the user replace what the build knows about itself. */
export function variablesOf(
  { variables }: Pick<Order, "variables">,
  job: Pick<Job, "facts" | "variables">,
  workspace: string,
): Order["variables"] {
  const all = [{ key: "CI_WORKSPACE", value: workspace }, ...(job.facts ?? []), ...variables, ...(job.variables ?? [])];
  const byKey = new Map(all.map(({ key, value }) => [key, value]));
  return [...byKey].map(([key, value]) => ({ key, value }));
}

const maxVariableBytes = 128 * 1024;

/** Reports whether a variable is too large for Linux, which counts its name, `=`, its value and a zero byte. */
export const isTooLarge = (variables: Order["variables"]): boolean =>
  variables.some(({ key, value }) => Buffer.byteLength(key) + Buffer.byteLength(value) + 2 > maxVariableBytes);

export function tooLargeLine(variables: Order["variables"]): string {
  const all = variables.map(({ key, value }) => ({ key, bytes: Buffer.byteLength(value) }));
  const largest = all.reduce((a, b) => (b.bytes > a.bytes ? b : a));
  const sum = roundedSize(all.reduce((total, { bytes }) => total + bytes, 0));
  const sizes = `${sum} together, ${roundedSize(largest.bytes)} in ${largest.key}`;
  return `The variables of the job are too large for a process (${sizes}): shorten them, or use files`;
}
