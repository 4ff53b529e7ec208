import { duplicateKey } from "@ci/kit/mongo/duplicates";
import type { Collection } from "mongodb";

/** A webhook that is removed, or about to be, and whose deliveries have to follow. */
export interface RemovedWebhook {
  readonly _id: number;
}

export type RemovedWebhooks = ReturnType<typeof removedWebhookStore>;

export const removedWebhookStore = (removed: Collection<RemovedWebhook>) => ({
  async add(webhookIds: readonly number[]): Promise<void> {
    const upserts = webhookIds.map((_id) => ({ replaceOne: { filter: { _id }, replacement: {}, upsert: true } }));
    if (upserts.length === 0) return;
    await removed.bulkWrite(upserts, { ordered: false }).catch((error) => {
      if (!duplicateKey(error)) throw error;
    });
  },

  /** Returns the first id after this one. */
  async next(afterId: number): Promise<number | undefined> {
    return (await removed.findOne({ _id: { $gt: afterId } }, { sort: { _id: 1 } }))?._id;
  },

  async done(webhookId: number): Promise<void> {
    await removed.deleteOne({ _id: webhookId });
  },
});
