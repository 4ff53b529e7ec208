import { setTimeout as delay } from "node:timers/promises";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { Fault } from "@ci/kit/rpc/fault";
import { Gone, HostTrouble } from "./errors.js";

const maxPauseMs = 2_000;
/** A peer that loses its database briefly says "internal"; one that keeps saying so never recovers. */
const maxInternal = 10;

const passing = (error: unknown): "unavailable" | "internal" | undefined =>
  error instanceof Fault && (error.code === "unavailable" || error.code === "internal") ? error.code : undefined;

/**
 * Repeats an idempotent call with growing pauses until it succeeds, fails for good or the signal aborts. Gives up when
 * `maxMs` have passed since its first failure.
 */
export async function retry<T>(
  signal: AbortSignal,
  call: () => Promise<T>,
  maxMs = Number.POSITIVE_INFINITY,
): Promise<T> {
  let internal = 0;
  let untilMs: number | undefined;
  for (let pauseMs = 50; ; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
    signal.throwIfAborted();
    try {
      return await call();
    } catch (error) {
      signal.throwIfAborted();
      const why = passing(error);
      if (why === "internal") internal++;
      untilMs ??= performance.now() + maxMs;
      if (!why || internal >= maxInternal || performance.now() >= untilMs) throw error;
    }
    await delay(pauseMs, undefined, { signal }).catch(() => undefined);
  }
}

const maxTroubleMs = fixedLimit({
  max: 20_000,
  unit: "ms",
  about: "how long the artifacts of a job, and then its test reports, wait for a container engine that is away",
  effect: "they are not collected, and the job's output says why",
});

/** Returns a function that retries work while this machine is in trouble. All its calls share `maxMs`. */
export function retryInTrouble(signal: AbortSignal, { maxMs = maxTroubleMs, pauseMs = 1_000 } = {}) {
  let leftMs = maxMs;
  return async <T>(work: () => Promise<T>): Promise<T> => {
    for (;;) {
      signal.throwIfAborted();
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof HostTrouble) || error instanceof Gone || leftMs < pauseMs) throw error;
      }
      leftMs -= pauseMs;
      await delay(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  };
}
