import type { Collection, Filter } from "mongodb";
import type { Replay, WebhookDoc } from "./webhook-doc.js";

export type ReplayRequest = Pick<WebhookDoc, "_id" | "userId" | "namespaceId"> & { readonly replay: Replay };

type Progress = Required<Pick<Replay, "after" | "end" | "begun">>;

/** Matches a request whose progress nobody has changed. */
const unchanged = ({ _id, replay: { since, activeSince, after, end } }: ReplayRequest) => ({
  _id,
  "replay.since": since,
  "replay.activeSince": activeSince,
  "replay.after": after,
  "replay.end": end ?? { $exists: false },
});

export const replayRequests = (webhooks: Collection<WebhookDoc>) => ({
  /**
   * Requests the missed events since a time. A replay that runs begins anew: now, if it began at a later time, else at its end.
   * Returns false if there is no such webhook.
   */
  async requestReplay({ _id, activeSince }: Pick<WebhookDoc, "_id" | "activeSince">, since: Date): Promise<boolean> {
    const asked = { $add: [{ $ifNull: ["$replay.asked", 0] }, 1] };
    const isOther = [{ $lte: ["$replay.since", null] }, { $ne: ["$replay.activeSince", activeSince] }];
    const anew = { $or: [...isOther, { $lt: [since, "$replay.since"] }] };
    const replay = {
      $cond: [anew, { since, activeSince, after: 0, asked }, { $mergeObjects: ["$replay", { asked }] }],
    };
    return (await webhooks.updateOne({ _id }, [{ $set: { replay } }])).matchedCount > 0;
  },

  /** Returns a webhook with a request of the first owner after this one, by id; null if no later owner has any. */
  nextReplayRequest: (ownerId: number): Promise<ReplayRequest | null> =>
    webhooks.findOne<ReplayRequest>(
      { userId: { $gt: ownerId }, "replay.since": { $exists: true } } as Filter<WebhookDoc>,
      { sort: { userId: 1, _id: 1 }, projection: { userId: 1, namespaceId: 1, replay: 1 } },
    ),

  async saveReplay(request: ReplayRequest, { after, end, begun }: Progress): Promise<void> {
    const progress = { "replay.after": after, "replay.end": end, "replay.begun": begun };
    await webhooks.updateOne(unchanged(request) as Filter<WebhookDoc>, { $set: progress });
  },

  /** Ends a replay that has served the first `asked` requests. If there are others, it begins anew. */
  async endReplay(request: ReplayRequest, asked: number): Promise<void> {
    const filter = unchanged(request) as Filter<WebhookDoc>;
    const served = { ...filter, "replay.asked": asked } as Filter<WebhookDoc>;
    if ((await webhooks.updateOne(served, { $unset: { replay: "" } })).matchedCount > 0) return;
    await webhooks.updateOne(filter, { $set: { "replay.after": 0 }, $unset: { "replay.end": "", "replay.begun": "" } });
  },
});
