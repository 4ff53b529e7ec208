import type { Lane } from "./lane.js";

/** Lanes that this process has and that nothing is done on: what comes for them soon costs no claim and no look. */
export interface Holds {
  keep(lane: Lane): void;
  take(webhookId: number): Lane | undefined;
  /** Takes those away that were kept for so long; the webhooks they belong to. */
  idle(forMs: number): number[];
}

export function holds(): Holds {
  /** In the order in which they were kept. */
  const kept = new Map<number, { readonly lane: Lane; readonly sinceMs: number }>();
  return {
    keep: (lane) => void kept.set(lane.webhook._id, { lane, sinceMs: performance.now() }),
    take(webhookId) {
      const held = kept.get(webhookId);
      kept.delete(webhookId);
      return held?.lane;
    },
    idle(forMs) {
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
