import { setTimeout as pause } from "node:timers/promises";

export interface Patience {
  /** A minute by default. It bounds failures and says nothing about speed. */
  readonly withinMs?: number;
  readonly everyMs?: number;
  /** Whenever this number changes, the time starts again. */
  readonly progress?: () => number;
  /** The clock of `withinMs`, in ms. */
  readonly now?: () => number;
}

/**
 * Calls `attempt` until it does not throw, and returns its result.
 * @throws an error that says how long it tried, caused by the last attempt's error
 */
export async function eventually<T>(
  attempt: () => T | Promise<T>,
  { withinMs = 60_000, everyMs = 25, progress = () => 0, now = () => performance.now() }: Patience = {},
): Promise<T> {
  let startedAt = now();
  for (let before = progress(); ; ) {
    const here = progress();
    const beganAt = performance.now();
    if (here !== before) [before, startedAt] = [here, now()];
    try {
      return await attempt();
    } catch (cause) {
      const waitedMs = Math.round(now() - startedAt);
      if (waitedMs >= withinMs) throw new Error(`Still after ${waitedMs} ms: ${messageOf(cause)}`, { cause });
    }
    // On a busy machine, leave at least as much time for the work as an attempt takes.
    await pause(Math.max(everyMs, Math.min(performance.now() - beganAt, 1_000)));
  }
}

const messageOf = (thrown: unknown) => (thrown instanceof Error ? thrown.message : String(thrown));
