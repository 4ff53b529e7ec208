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

/** Repeats a pass until the signal: at once when woken, otherwise `everyMs` after the last one ended. */
export function loop(
  name: string,
  everyMs: number,
  pass: () => Promise<unknown>,
  on: { signal: AbortSignal; log: Log },
): { wake(): void; done: Promise<void> } {
  let woken = false;
  let stopWaiting = new AbortController();
  const wake = () => {
    woken = true;
    stopWaiting.abort();
  };
  on.signal.addEventListener("abort", wake, { once: true });
  const repeat = async () => {
    while (!on.signal.aborted) {
      woken = false;
      stopWaiting = new AbortController();
      const stop = seconds.startTimer({ loop: name });
      try {
        await detached(() => {
          addLogFields({ loop: name });
          return pass();
        });
      } catch (error) {
        if (!on.signal.aborted) {
          failures.inc({ loop: name });
          on.log.warn({ loop: name, err: error }, "pass failed, will be repeated");
        }
      }
      stop();
      if (!woken) await delay(everyMs, undefined, { signal: stopWaiting.signal }).catch(() => undefined);
    }
  };
  return { wake, done: repeat() };
}
