import { setTimeout as delay } from "node:timers/promises";
import { Counter, Histogram } from "prom-client";
import { detached } from "../rpc/caller.js";
import { addLogFields, type Log } from "./log.js";
import { metrics } from "./metrics.js";

const seconds = new Histogram({
  name: "ci_loop_seconds",
  help: "How long one pass of a loop takes",
  labelNames: ["loop"],
  registers: [metrics],
});

const failures = new Counter({
  name: "ci_loop_failures_total",
  help: "Passes that failed and are repeated",
  labelNames: ["loop"],
  registers: [metrics],
});

export interface Waking {
  /** Starts a pass immediately, or after the one under way. */
  wake(): void;
  /** Ends a rest: the next pass starts within `everyMs`. */
  stir(): void;
}

/**
 * Repeats a pass until the signal, `everyMs` after the last one ended. While passes return 0, having found nothing, the
 * loop rests: the pause doubles, up to `restMs`.
 */
export function loop(
  name: string,
  everyMs: number,
  pass: () => Promise<unknown>,
  on: { signal: AbortSignal; log: Log },
  restMs = everyMs,
): Waking & { done: Promise<void> } {
  let woken = false;
  let stirred = false;
  let pauseMs = everyMs;
  let waiting = new AbortController();
  const wake = () => {
    woken = true;
    waiting.abort();
  };
  const stir = () => {
    stirred = true;
    if (pauseMs > everyMs) waiting.abort();
  };
  on.signal.addEventListener("abort", wake, { once: true });

  async function passOnce(): Promise<unknown> {
    const stop = seconds.startTimer({ loop: name });
    try {
      return await detached(() => {
        addLogFields({ loop: name });
        return pass();
      });
    } catch (error) {
      if (on.signal.aborted) return undefined;
      failures.inc({ loop: name });
      on.log.warn({ loop: name, err: error }, "pass failed, will be repeated");
      return undefined;
    } finally {
      stop();
    }
  }

  async function pause(): Promise<void> {
    do {
      if (stirred) pauseMs = everyMs;
      waiting = new AbortController();
      if (!woken) await delay(pauseMs, undefined, { signal: waiting.signal }).catch(() => undefined);
    } while (waiting.signal.aborted && !woken);
  }

  const repeat = async () => {
    while (!on.signal.aborted) {
      woken = false;
      stirred = false;
      pauseMs = (await passOnce()) === 0 ? Math.min(2 * pauseMs, restMs) : everyMs;
      await pause();
    }
  };
  return { wake, stir, done: repeat() };
}
