import { randomUUID } from "node:crypto";

let last = 0n;

/** Returns a UUID of version 7. Those of a process rise, also within a millisecond. */
export function risingId(nowMs = performance.timeOrigin + performance.now()): string {
  const now = BigInt(Math.floor(nowMs * 4_096));
  last = now > last ? now : last + 1n;
  const hex = last.toString(16).padStart(15, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(12)}${randomUUID().slice(18)}`;
}
