import type { Lane } from "./run-lane.js";

/** Lanes that this process holds between turns. A delivery that comes soon needs no claim and no read. */
export interface IdleLanes {
  keep(lane: Lane): void;
  take(webhookId: number): Lane | undefined;
  removeIdle(forMs: number): number[];
  isEmpty(): boolean;
  /** Returns in how long the first lane will have been idle for `forMs`; undefined if there is none. */
  nextInMs(forMs: number): number | undefined;
}

export function idleLanes(): IdleLanes {
  /** Longest idle first. */
  const kept = new Map<number, { readonly lane: Lane; readonly sinceMs: number }>();
  return {
    keep: (lane) => void kept.set(lane.webhook._id, { lane, sinceMs: performance.now() }),
    take(webhookId) {
      const idle = kept.get(webhookId);
      kept.delete(webhookId);
      return idle?.lane;
    },
    isEmpty: () => kept.size === 0,
    nextInMs(forMs) {
      const [first] = kept.values();
      return first && first.sinceMs + forMs - performance.now();
    },
    removeIdle(forMs) {
      const beforeMs = performance.now() - forMs;
      const ids: number[] = [];
      for (const [webhookId, { sinceMs }] of kept) {
        if (sinceMs > beforeMs) break;
        kept.delete(webhookId);
        ids.push(webhookId);
      }
      return ids;
    },
  };
}
