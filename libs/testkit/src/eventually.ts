import { setTimeout as pause } from "node:timers/promises";

/**
 * Calls `attempt` until it does not throw, and returns what it returned.
 * @throws what the last attempt threw, as cause of an error that also says how long it was tried
 */
export async function eventually<T>(
  attempt: () => T | Promise<T>,
  { withinMs = 10_000, everyMs = 25 }: { withinMs?: number; everyMs?: number } = {},
): Promise<T> {
  const startedAt = performance.now();
  for (;;) {
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
