import { setTimeout as delay } from "node:timers/promises";
import { asFault } from "@ci/kit/rpc/fault";

/** How often in a row a stream may break before its first message, which the client waits for: together some seconds. */
const maxBreaks = 8;
const maxPauseSteps = 20;
interface Patience {
  /** How long a stream may stay broken between two messages. A restart or a failover takes less. */
  readonly forMs: number;
  readonly pauseStepMs: number;
}
const usual: Patience = { forMs: 120_000, pauseStepMs: 100 };

/** Returns a stream whose first message has arrived: if the stream fails before that, this call fails. */
export async function opened<T>(messages: AsyncIterable<T>): Promise<AsyncIterable<T>> {
  const steps = messages[Symbol.asyncIterator]();
  const first = await steps.next();
  return {
    async *[Symbol.asyncIterator]() {
      try {
        for (let step = first; !step.done; step = await steps.next()) yield step.value;
      } finally {
        await steps.return?.();
      }
    },
  };
}

/**
 * Reopens a stream whose replica fails, unless it fails after a message that is not `complete`. `open` gets the last message
 * before that; undefined at first.
 */
export async function* resumed<T>(
  open: (last: T | undefined) => AsyncIterable<T>,
  signal: AbortSignal,
  complete: (last: T) => boolean = () => true,
  { forMs, pauseStepMs } = usual,
): AsyncGenerator<T> {
  let last: T | undefined;
  let brokenSinceMs = 0;
  for (let breaks = 0; ; ) {
    try {
      for await (const message of open(last)) {
        breaks = 0;
        last = message;
        yield message;
      }
      return;
    } catch (error) {
      if (signal.aborted || asFault(error).code !== "unavailable") throw error;
      if (last !== undefined && !complete(last)) throw error;
      if (breaks === 0) brokenSinceMs = performance.now();
      breaks++;
      if (last === undefined ? breaks > maxBreaks : performance.now() - brokenSinceMs > forMs) throw error;
    }
    await delay(Math.min(breaks, maxPauseSteps) * pauseStepMs, undefined, { signal });
  }
}
