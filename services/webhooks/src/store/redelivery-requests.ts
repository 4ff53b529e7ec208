import type { Collection, Filter, UpdateFilter } from "mongodb";
import { type LogPosition, setAndUnset, type WebhookDoc } from "./webhook-doc.js";

export const redeliveryRequests = (webhooks: Collection<WebhookDoc>) => ({
  /** Requests the failed and cancelled deliveries since a time, on top of earlier requests. Returns false if there is no such webhook. */
  async requestRedelivery(id: number, since: Date): Promise<boolean> {
    const request = { $min: { "again.since": since }, $set: { "again.id": 0 } } as UpdateFilter<WebhookDoc>;
    return (await webhooks.updateOne({ _id: id }, request)).matchedCount > 0;
  },

  /** Returns a webhook with a request of the first owner after this one, by id; null if no later owner has any. */
  nextRedeliveryRequest: (ownerId: number): Promise<Pick<WebhookDoc, "_id" | "userId" | "again"> | null> =>
    webhooks.findOne({ userId: { $gt: ownerId }, "again.since": { $exists: true } } as Filter<WebhookDoc>, {
      sort: { userId: 1, _id: 1 },
      projection: { userId: 1, again: 1 },
    }),

  /** Saves the progress, or ends the request if `last` is undefined. A request made meanwhile stays. */
  async saveRedeliveryProgress(id: number, { since, id: after }: LogPosition, last: LogPosition | undefined) {
    const before = { _id: id, "again.since": since, "again.id": after } as Filter<WebhookDoc>;
    await webhooks.updateOne(before, setAndUnset({ again: last }));
  },
});
