import { setTimeout as pause } from "node:timers/promises";

/** How long something is waited for. */
export interface Patience {
  /** A minute unless told: a bound for what has gone wrong, no measure of how fast anything is. */
  readonly withinMs?: number;
  readonly everyMs?: number;
  /** How far it has come: whenever this is another number, the time begins anew. */
  readonly progress?: () => number;
  /** The clock of `withinMs`, in ms. */
  readonly now?: () => number;
}

/**
 * Calls `attempt` until it does not throw, and returns what it returned.
 * @throws what the last attempt threw, as cause of an error that also says how long it was tried
 */
export async function eventually<T>(
  attempt: () => T | Promise<T>,
  { withinMs = 60_000, everyMs = 25, progress = () => 0, now = () => performance.now() }: Patience = {},
): Promise<T> {
  let startedAt = now();
  for (let reached = progress(); ; ) {
    const here = progress();
    const beganAt = performance.now();
    if (here !== reached) [reached, startedAt] = [here, now()];
    try {
      return await attempt();
    } catch (cause) {
      const waitedMs = Math.round(now() - startedAt);
      if (waitedMs >= withinMs) throw new Error(`Still after ${waitedMs} ms: ${messageOf(cause)}`, { cause });
    }
    // On a busy machine what is waited for gets at least as much time as the looking at it.
    await pause(Math.max(everyMs, Math.min(performance.now() - beganAt, 1_000)));
  }
}

const messageOf = (thrown: unknown) => (thrown instanceof Error ? thrown.message : String(thrown));
