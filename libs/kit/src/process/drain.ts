import { setTimeout as delay } from "node:timers/promises";

/** Keeps a service that is not ready any more serving for a while. */
interface Drainer {
  check(): void;
  /** Begins draining; resolves after `delayMs`, or at `hurry`. */
  drain(hurry: AbortSignal): Promise<void>;
}

/** Load balancers take a moment to notice that a service is not ready. It keeps serving until then. */
export function drainer(delayMs: number, whenBegun: () => void = () => {}): Drainer {
  let begun = false;
  return {
    check() {
      if (begun) throw new Error("Draining");
    },
    async drain(hurry) {
      begun = true;
      whenBegun();
      await delay(delayMs, undefined, { signal: hurry }).catch(() => undefined);
    },
  };
}
