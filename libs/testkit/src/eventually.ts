import { setTimeout as pause } from "node:timers/promises";

interface Patience {
  /** A minute by default. It bounds failures and does not measure speed. */
  readonly withinMs?: number;
  readonly everyMs?: number;
  /** A change of this number restarts the time. */
  readonly progress?: () => number;
  readonly now?: () => number;
}

/** Calls `attempt` until it does not throw, and returns its result. After `withinMs` it throws the last error. */
export async function eventually<T>(
  attempt: () => T | Promise<T>,
  { withinMs = 60_000, everyMs = 25, progress = () => 0, now = () => performance.now() }: Patience = {},
): Promise<T> {
  let startedAt = now();
  for (let last = progress(); ; ) {
    const current = progress();
    const beganAt = performance.now();
    if (current !== last) [last, startedAt] = [current, now()];
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
