import { setTimeout as pause } from "node:timers/promises";

/** How long something is waited for. */
export interface Patience {
  readonly withinMs?: number;
  readonly everyMs?: number;
  /** How far it has come: whenever this is another number, the time begins anew. */
  readonly progress?: () => number;
}

/**
 * Calls `attempt` until it does not throw, and returns what it returned.
 * @throws what the last attempt threw, as cause of an error that also says how long it was tried
 */
export async function eventually<T>(
  attempt: () => T | Promise<T>,
  { withinMs = 10_000, everyMs = 25, progress = () => 0 }: Patience = {},
): Promise<T> {
  let startedAt = performance.now();
  for (let reached = progress(); ; ) {
    const here = progress();
    if (here !== reached) [reached, startedAt] = [here, performance.now()];
    try {
      return await attempt();
    } catch (cause) {
      const waitedMs = Math.round(performance.now() - startedAt);
      if (waitedMs >= withinMs) throw new Error(`Still after ${waitedMs} ms: ${messageOf(cause)}`, { cause });
    }
    await pause(everyMs);
  }
}

const messageOf = (thrown: unknown) => (thrown instanceof Error ? thrown.message : String(thrown));
