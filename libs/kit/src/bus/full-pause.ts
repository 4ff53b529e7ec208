import { setTimeout as delay } from "node:timers/promises";

/** Waits until a cache that expires by `performance.now()` has expired. Node's timers may fire almost 1 ms early. */
export async function fullPause(ms: number): Promise<void> {
  const untilMs = performance.now() + ms;
  for (let leftMs = ms; leftMs > 0; leftMs = untilMs - performance.now()) await delay(leftMs);
}
