import type { Context } from "../context.js";
import type { LaneUpdate } from "../store/lanes.js";
import type { WebhookHealth } from "../store/webhook-doc.js";

interface Found {
  readonly webhookId: number;
  readonly health: WebhookHealth;
}

/** Health that is not written yet, and the writes of health and of released lanes, one after another. */
export interface LaneUpdates {
  keep(found: readonly Found[]): void;
  /** Writes the health and releases lanes. If that fails, the health is kept unless newer is there. */
  flush(released: readonly number[]): Promise<void>;
  /** Waits for the last flush. Never throws. */
  settled(): Promise<unknown>;
  /** Returns in how long the first health will have been unwritten for `forMs`; undefined if there is none. */
  healthInMs(forMs: number): number | undefined;
}

export function laneUpdates({ webhooks, heartbeat }: Pick<Context, "webhooks" | "heartbeat">): LaneUpdates {
  const kept = new Map<number, WebhookHealth>();
  let sinceMs: number | undefined;
  let last: Promise<unknown> = Promise.resolve();

  function keep(found: readonly Found[]): void {
    for (const { webhookId, health } of found) kept.set(webhookId, health);
    if (kept.size > 0) sinceMs ??= performance.now();
  }

  async function write(released: readonly number[]): Promise<void> {
    const found = [...kept].map(([webhookId, health]) => ({ webhookId, health }));
    kept.clear();
    sinceMs = undefined;
    const updates = new Map<number, LaneUpdate>(found.map((one) => [one.webhookId, { ...one, release: false }]));
    for (const webhookId of released) updates.set(webhookId, { ...updates.get(webhookId), webhookId, release: true });
    if (updates.size === 0) return;
    try {
      await webhooks.updateLanes(heartbeat.holder, [...updates.values()]);
    } catch (error) {
      keep(found.filter(({ webhookId }) => !kept.has(webhookId)));
      throw error;
    }
  }

  return {
    keep,
    // In turn: an older update never overwrites a newer one, and a claim never overtakes a release.
    flush(released) {
      const mine = last.then(() => write(released));
      last = mine.catch(() => undefined);
      return mine;
    },
    settled: () => last,
    healthInMs: (forMs) => sinceMs && sinceMs + forMs - performance.now(),
  };
}
