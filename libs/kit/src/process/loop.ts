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

function restAfter(result: unknown): number | undefined {
  if (result === 0) return Number.POSITIVE_INFINITY;
  const { nextInMs } = (result ?? {}) as Partial<NothingYet>;
  return nextInMs !== undefined && nextInMs > 0 ? nextInMs : undefined;
}

/** What a pass returns that found nothing yet, but knows when there will be something. */
export interface NothingYet {
  readonly nextInMs: number;
}

interface LoopOptions {
  readonly signal: AbortSignal;
  readonly log: Log;
  readonly restMs?: number | undefined;
  /** Waits between passes. Tests replace it. */
  readonly delayed?: (ms: number, value: undefined, options: { signal: AbortSignal }) => Promise<unknown>;
}

/**
 * Repeats a pass until the signal, `everyMs` after the last one ended. While passes return 0 or `NothingYet`, the loop
 * rests: the pause doubles, up to `restMs` and not beyond `nextInMs`.
 */
export function loop(
  name: string,
  everyMs: number,
  pass: () => Promise<unknown>,
  { signal, log, restMs = everyMs, delayed = delay }: LoopOptions,
): Waking & { done: Promise<void> } {
  let woken = false;
  let stirred = false;
  let restedMs = everyMs;
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
  failures.inc({ loop: name }, 0);
  signal.addEventListener("abort", wake, { once: true });

  async function passOnce(): Promise<unknown> {
    const stop = seconds.startTimer({ loop: name });
    try {
      return await detached(() => {
        addLogFields({ loop: name });
        return pass();
      });
    } catch (error) {
      if (signal.aborted) return undefined;
      failures.inc({ loop: name });
      log.warn({ loop: name, err: error }, "pass failed, will be repeated");
      return undefined;
    } finally {
      stop();
    }
  }

  async function pause(): Promise<void> {
    do {
      if (stirred) [restedMs, pauseMs] = [everyMs, Math.min(everyMs, pauseMs)];
      waiting = new AbortController();
      if (!woken) await delayed(pauseMs, undefined, { signal: waiting.signal }).catch(() => undefined);
    } while (waiting.signal.aborted && !woken);
  }

  const repeat = async () => {
    while (!signal.aborted) {
      woken = false;
      stirred = false;
      const nextInMs = restAfter(await passOnce());
      restedMs = nextInMs === undefined ? everyMs : Math.min(2 * restedMs, restMs);
      pauseMs = Math.min(restedMs, nextInMs ?? everyMs);
      await pause();
    }
  };
  return { wake, stir, done: repeat() };
}
