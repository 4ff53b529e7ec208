import { setTimeout as delay } from "node:timers/promises";
import { Fault } from "@ci/kit/rpc/fault";

const maxPauseMs = 2_000;
/** A peer that loses its database briefly says "internal"; one that keeps saying so never recovers. */
const maxInternal = 10;

const passing = (error: unknown): "unavailable" | "internal" | undefined =>
  error instanceof Fault && (error.code === "unavailable" || error.code === "internal") ? error.code : undefined;

/** Repeats an idempotent call with growing pauses until it succeeds, fails for good or the signal aborts. */
export async function retry<T>(signal: AbortSignal, call: () => Promise<T>): Promise<T> {
  let internal = 0;
  for (let pauseMs = 50; ; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
    signal.throwIfAborted();
    try {
      return await call();
    } catch (error) {
      signal.throwIfAborted();
      const why = passing(error);
      if (why === "internal") internal++;
      if (!why || internal >= maxInternal) throw error;
    }
    await delay(pauseMs, undefined, { signal }).catch(() => undefined);
  }
}
