import { setTimeout as delay } from "node:timers/promises";

/** Waits for the work up to a limit. After that the work continues in the background. */
export async function waitFor(work: Promise<void>, maxMs: number): Promise<void> {
  const timer = new AbortController();
  await Promise.race([work, delay(maxMs, undefined, { signal: timer.signal }).catch(() => undefined)]);
  timer.abort();
}
