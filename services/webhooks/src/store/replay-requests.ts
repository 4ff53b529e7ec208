import type { Collection, Filter, UpdateFilter } from "mongodb";
import { type Replay, setAndUnset, type WebhookDoc } from "./webhook-doc.js";

export type ReplayRequest = Pick<WebhookDoc, "_id" | "userId" | "namespaceId"> & { readonly replay: Replay };

export const replayRequests = (webhooks: Collection<WebhookDoc>) => ({
  /** Requests the missed events since a time, on top of earlier requests. Returns false if there is no such webhook. */
  async requestReplay(id: number, since: Date): Promise<boolean> {
    const request = { $min: { "replay.since": since }, $set: { "replay.after": 0 }, $unset: { "replay.end": "" } };
    return (await webhooks.updateOne({ _id: id }, request as UpdateFilter<WebhookDoc>)).matchedCount > 0;
  },

  /** Returns a webhook with a request of the first owner after this one, by id; null if no later owner has any. */
  nextReplayRequest: (ownerId: number): Promise<ReplayRequest | null> =>
    webhooks.findOne<ReplayRequest>(
      { userId: { $gt: ownerId }, "replay.since": { $exists: true } } as Filter<WebhookDoc>,
      { sort: { userId: 1, _id: 1 }, projection: { userId: 1, namespaceId: 1, replay: 1 } },
    ),

  /** Saves the progress, or ends the request if there is none. A request made meanwhile stays. */
  async saveReplay({ _id, replay: { since, after, end } }: ReplayRequest, progress: Replay | undefined) {
    const before = { "replay.since": since, "replay.after": after, "replay.end": end ?? { $exists: false } };
    await webhooks.updateOne({ _id, ...before } as Filter<WebhookDoc>, setAndUnset({ replay: progress }));
  },
});
