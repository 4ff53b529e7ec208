import type { Collection, Filter } from "mongodb";
import type { WebhookDoc, WebhookHealth } from "./webhook-doc.js";
import { quick } from "./write-concern.js";

export interface LaneUpdate {
  readonly webhookId: number;
  readonly health?: WebhookHealth;
  readonly release: boolean;
}

/** A failure does not count if the webhook was changed during the attempt, because it may have started afresh. */
const healthFields = ({ lastResponse, failingSince, revision }: WebhookHealth) => ({
  lastResponse: { $literal: lastResponse },
  failingSince: failingSince
    ? { $cond: [{ $eq: ["$revision", revision] }, failingSince, "$failingSince"] }
    : "$$REMOVE",
});

export const laneWrites = (webhooks: Collection<WebhookDoc>) => ({
  claimLane: (id: number, holder: string, dead?: string): Promise<WebhookDoc | null> =>
    webhooks.findOneAndUpdate(
      { _id: id, "lane.holder": { $in: [null, holder, ...(dead === undefined ? [] : [dead])] } } as Filter<WebhookDoc>,
      { $set: { lane: { holder } } },
      { returnDocument: "after", ...quick },
    ),

  /** Returns the holder of a webhook's lane; undefined if it is free, null if the webhook does not exist. */
  async laneHolder(id: number): Promise<string | undefined | null> {
    const found = await webhooks.findOne({ _id: id }, { projection: { lane: 1 } });
    return found === null ? null : found.lane?.holder;
  },

  /** Writes health and releases lanes, of webhooks whose lanes the holder still has. */
  async updateLanes(holder: string, updates: readonly LaneUpdate[]): Promise<void> {
    const writes = updates.map(({ webhookId, health, release }) => ({
      updateOne: {
        filter: { _id: webhookId, "lane.holder": holder },
        update: [{ $set: { ...(health && healthFields(health)), ...(release && { lane: "$$REMOVE" }) } }],
      },
    }));
    await webhooks.bulkWrite(writes, quick);
  },
});
