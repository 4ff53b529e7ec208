import type { WaitingUser } from "./line.js";

/** A process relies for this long on having put a user in a line. Others remove the user only after twice as long. */
export const trustMs = 1_000;
/** How long a user is remembered. A claim that takes longer than half of this removes nobody. */
const keptMs = 60_000;
const maxJoins = 10_000;

interface RecentUser {
  readonly sinceMs: number;
  joinedMs?: number;
  queuedMs?: number;
}

/** Remembers the users whom this process has just put in a line, so that their next builds need no write. */
export function recentJoins(now: () => number) {
  const known = new Map<WaitingUser["_id"], RecentUser>();

  function forgetOld(): void {
    for (const [id, { sinceMs }] of known) {
      if (sinceMs > now() - keptMs) return;
      known.delete(id);
    }
  }

  return {
    /** Notes that a write begins that puts a user in the line. Returns what to call when it has ended. */
    beginJoin(id: WaitingUser["_id"]): () => void {
      forgetOld();
      const before = known.get(id);
      if (!before && known.size >= maxJoins) return () => undefined;
      const join: RecentUser = { ...before, sinceMs: now() };
      known.delete(id);
      known.set(id, join);
      return () => {
        if (known.get(id) === join) join.joinedMs = join.sinceMs;
      };
    },
    /** Notes that a build is queued without a write; false if one is needed, since the user may have left the line. */
    noteQueued(id: WaitingUser["_id"]): boolean {
      const join = known.get(id);
      if (join?.joinedMs === undefined || now() > join.joinedMs + trustMs) return false;
      join.queuedMs = now();
      return true;
    },
    /** Reports whether a claim that began at this time may have missed a build that was queued without a write. */
    mayHaveMissed: (id: WaitingUser["_id"], sinceMs: number): boolean =>
      now() > sinceMs + keptMs / 2 || (known.get(id)?.queuedMs ?? Number.NEGATIVE_INFINITY) >= sinceMs,
    forget: (id: WaitingUser["_id"]): unknown => known.delete(id),
  };
}
