import type { WaitingUser } from "./line.js";

/** A process relies for this long on having put a user in a line. Others remove the user only after twice as long. */
export const stayMs = 1_000;
/** How long a user is remembered. A claim that takes longer than half of this removes nobody. */
const keptMs = 60_000;
const maxStayers = 10_000;

interface Stayer {
  readonly sinceMs: number;
  joinedMs?: number;
  queuedMs?: number;
}

/** Users whom this process has put in a line a moment ago, so that their next builds need no write. */
export function stayers(now: () => number) {
  const known = new Map<WaitingUser["_id"], Stayer>();

  function forgetOld(): void {
    for (const [id, { sinceMs }] of known) {
      if (sinceMs > now() - keptMs) return;
      known.delete(id);
    }
  }

  return {
    /** Notes that a write begins that puts a user in the line. Returns what to call when it has ended. */
    joining(id: WaitingUser["_id"]): () => void {
      forgetOld();
      const before = known.get(id);
      if (!before && known.size >= maxStayers) return () => undefined;
      const stayer: Stayer = { ...before, sinceMs: now() };
      known.delete(id);
      known.set(id, stayer);
      return () => {
        if (known.get(id) === stayer) stayer.joinedMs = stayer.sinceMs;
      };
    },
    /** Reports whether a user is certainly still in the line, and notes that a build was queued without a write. */
    stays(id: WaitingUser["_id"]): boolean {
      const stayer = known.get(id);
      if (stayer?.joinedMs === undefined || now() > stayer.joinedMs + stayMs) return false;
      stayer.queuedMs = now();
      return true;
    },
    /** Reports whether a claim that began at this time may have missed a build that was queued without a write. */
    mayHaveMissed: (id: WaitingUser["_id"], sinceMs: number): boolean =>
      now() > sinceMs + keptMs / 2 || (known.get(id)?.queuedMs ?? Number.NEGATIVE_INFINITY) >= sinceMs,
    forget: (id: WaitingUser["_id"]): unknown => known.delete(id),
  };
}
