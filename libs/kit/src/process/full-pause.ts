import { setTimeout as delay } from "node:timers/promises";

/**
 * Waits for the whole time by `performance.now()`, to outlast caches that expire by that clock. Node's timers count whole
 * milliseconds and may fire almost one early.
 */
export async function fullPause(ms: number): Promise<void> {
  const untilMs = performance.now() + ms;
  for (let leftMs = ms; leftMs > 0; leftMs = untilMs - performance.now()) await delay(leftMs);
}
