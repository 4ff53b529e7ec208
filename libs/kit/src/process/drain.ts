import { setTimeout as delay } from "node:timers/promises";

/** How a service says goodbye: for a while it is not ready any more, but goes on as before. */
export interface Drainer {
  /** Throws once the service is leaving: what asks for readiness sends nobody new. */
  check(): void;
  /** Begins it, and resolves when everybody has had `delayMs` to notice, or at `hurry`. */
  drain(hurry: AbortSignal): Promise<void>;
}

/** Whoever balances load needs a moment to see that a service is no longer ready; until then it has to answer. */
export function drainer(delayMs: number, whenBegun: () => void = () => {}): Drainer {
  let begun = false;
  return {
    check() {
      if (begun) throw new Error("It is about to end");
    },
    async drain(hurry) {
      begun = true;
      whenBegun();
      await delay(delayMs, undefined, { signal: hurry }).catch(() => undefined);
    },
  };
}
