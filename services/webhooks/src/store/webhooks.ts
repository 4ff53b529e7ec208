import { complainIfTaken } from "@ci/kit/mongo/duplicates";
import { page } from "@ci/kit/mongo/page";
import { type CountLimit, countQuota, quotaComplaints, withinQuotas } from "@ci/kit/mongo/quota";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import type { Fields } from "@ci/kit/rpc/fault";
import type { PageInfo } from "@ci/proto/common/v1/page";
import { Webhook_DisabledReason } from "@ci/proto/webhooks/v1/webhooks";
import type { Collection, Db, UpdateFilter } from "mongodb";
import type { OwnHeaders } from "./encrypted-secrets.js";
import { laneWrites } from "./lanes.js";
import { redeliveryRequests } from "./redelivery-requests.js";
import { replayRequests } from "./replay-requests.js";
import {
  idsOf,
  type KeptWebhook,
  type ShortWebhook,
  setAndUnset,
  type WebhookChange,
  type WebhookDoc,
} from "./webhook-doc.js";

const targetTaken = complainIfTaken("payload_url", "Payload URL already exists");

export type Webhooks = ReturnType<typeof webhookStore>;

export const webhookStore = (db: Db, webhooks: Collection<WebhookDoc>, perUser: CountLimit) => ({
  ...creation(db, webhooks, perUser),
  ...settings(webhooks),
  ...activation(webhooks),
  ...namespaceQueries(webhooks),
  ...laneWrites(webhooks),
  ...redeliveryRequests(webhooks),
  ...replayRequests(webhooks),
});

const creation = (db: Db, webhooks: Collection<WebhookDoc>, perUser: CountLimit) => {
  const quotas = (userId: number) => [countQuota(webhooks, { userId }, perUser)];
  return {
    quotaComplaints: (userId: number): Promise<Fields> => quotaComplaints(quotas(userId)),

    /** Stores a new webhook. Fault `invalid` if its target is taken or its user has too many. */
    async insert(doc: WebhookDoc): Promise<void> {
      await withinQuotas(db, quotas(doc.userId), doc._id, () => webhooks.insertOne(doc).catch(targetTaken));
    },
  };
};

const maxPaced = fixedLimit({
  max: 10_000,
  about: "webhooks with a rate limit that the delivery lag leaves out",
  effect: "what others of them wait for their limit counts as late",
});

const settings = (webhooks: Collection<WebhookDoc>) => ({
  get: (namespaceId: number, id: number) => webhooks.findOne({ _id: id, namespaceId }),

  list: (namespaceId: number, number: number | undefined): Promise<{ items: WebhookDoc[]; page: PageInfo }> =>
    page(webhooks.find({ namespaceId }).sort({ _id: 1 }), number, (options) =>
      webhooks.countDocuments({ namespaceId }, options),
    ),

  findByIds: (ids: readonly number[]): Promise<WebhookDoc[]> => webhooks.find({ _id: { $in: [...ids] } }).toArray(),

  /** Returns webhooks with their owners. One that is deleted, and whose deliveries are left, has the owner 0. */
  async withOwners(ids: readonly number[]): Promise<Pick<WebhookDoc, "_id" | "userId">[]> {
    if (ids.length === 0) return [];
    const found = await webhooks.find({ _id: { $in: [...ids] } }, { projection: { userId: 1 } }).toArray();
    const owners = new Map(found.map(({ _id, userId }) => [_id, userId]));
    return ids.map((_id) => ({ _id, userId: owners.get(_id) ?? 0 }));
  },

  isTargetTaken: async (namespaceId: number, targetKey: string, exceptId?: number): Promise<boolean> => {
    const other = await webhooks.findOne({ namespaceId, targetKey }, { projection: { _id: 1 } });
    return other !== null && other._id !== exceptId;
  },

  /** Updates the webhook if nobody has changed it since `doc` was read; otherwise returns null. */
  change: ({ _id, revision }: WebhookDoc, change: WebhookChange): Promise<WebhookDoc | null> =>
    webhooks
      .findOneAndUpdate(
        { _id, revision },
        { ...setAndUnset(change), $inc: { revision: 1 } },
        { returnDocument: "after" },
      )
      .catch(targetTaken),

  /** Does the same for the headers. */
  setHeaders: ({ _id, revision }: WebhookDoc, headers: OwnHeaders | undefined): Promise<WebhookDoc | null> =>
    webhooks.findOneAndUpdate(
      { _id, revision },
      { ...setAndUnset({ headers }), $inc: { revision: 1 } },
      { returnDocument: "after" },
    ),

  /** Sets the rate limit, or removes it. Returns false if the webhook is gone. */
  async setRateLimit(id: number, rateLimit: number | undefined): Promise<boolean> {
    return (await webhooks.updateOne({ _id: id }, setAndUnset({ rateLimit }))).matchedCount > 0;
  },

  /** Returns webhooks with a rate limit that have received something since a time: what they have due waits for their pace. */
  async pacedSince(since: Date): Promise<number[]> {
    const paced = { rateLimit: { $gt: 0 }, "lastResponse.createdAt": { $gte: since } };
    return idsOf(
      await webhooks
        .find(paced, { projection: { _id: 1 } })
        .limit(maxPaced)
        .toArray(),
    );
  },

  async pruneSecrets(before: Date): Promise<number> {
    const old = { until: { $lt: before } };
    const pull = { $pull: { "secrets.replaced": old } } as UpdateFilter<WebhookDoc>;
    return (await webhooks.updateMany({ "secrets.replaced": { $elemMatch: old } }, pull)).modifiedCount;
  },

  async remove(ids: readonly number[]): Promise<void> {
    await webhooks.deleteMany({ _id: { $in: [...ids] } });
  },
});

const maxKept = 200;

const departs = { $set: { active: false, departed: true }, $inc: { revision: 1 } } as const;

const activatedBy = (at: Date) => ({ activeSince: { $not: { $gt: at } } });

const keeper = (userId: number) => ({
  $or: [{ keeperId: userId }, { authorId: userId, keeperId: { $exists: false } }],
});

const keptFields = { authorId: 1, keeperId: 1, userId: 1, namespaceId: 1, departed: 1 } as const;

const activation = (webhooks: Collection<WebhookDoc>) => ({
  /** Deactivates the webhook if nobody has changed it since `doc` was read. Returns whether it did. */
  async deactivate({ _id, revision }: WebhookDoc, disabledReason: Webhook_DisabledReason): Promise<boolean> {
    const off = { $set: { active: false, disabledReason }, $inc: { revision: 1 } };
    return (await webhooks.updateOne({ _id, revision, active: true }, off)).modifiedCount > 0;
  },

  /** Deactivates what was active when its owner was deleted. Returns all inactive webhooks of that owner. */
  async deactivateOfUser(userId: number, at: Date): Promise<number[]> {
    await webhooks.updateMany({ userId, active: true, ...activatedBy(at) }, departs);
    return idsOf(await webhooks.find({ userId, active: false }, { projection: { _id: 1 } }).toArray());
  },

  /** Deactivates webhooks that a user created in their own namespaces and nobody has changed since. Returns their ids. */
  async deactivateNew(userId: number): Promise<number[]> {
    const unchanged = { userId, authorId: userId, revision: 1, active: true };
    const ids = idsOf(await webhooks.find(unchanged, { projection: { _id: 1 } }).toArray());
    await webhooks.updateMany({ _id: { $in: ids }, revision: 1 }, departs);
    return ids;
  },

  /** Returns a batch of the webhooks that a user answers for and that were activated by a time, in order of ids. */
  keptBy: (userId: number, at: Date, afterId: number): Promise<Pick<WebhookDoc, "_id" | "namespaceId">[]> =>
    webhooks
      .find({ ...keeper(userId), ...activatedBy(at), _id: { $gt: afterId } }, { projection: { namespaceId: 1 } })
      .sort({ _id: 1 })
      .limit(maxKept)
      .toArray(),

  /** Returns a batch of all webhooks, in order of ids. */
  after: (afterId: number): Promise<KeptWebhook[]> =>
    webhooks
      .find({ _id: { $gt: afterId } }, { projection: keptFields })
      .sort({ _id: 1 })
      .limit(maxKept)
      .toArray(),

  async deactivateKept(ids: readonly number[], userId: number, at: Date): Promise<void> {
    const kept = { _id: { $in: [...ids] }, departed: { $ne: true as const }, ...keeper(userId), ...activatedBy(at) };
    await webhooks.updateMany(kept, departs);
  },

  /** Stores the authors as the keepers of webhooks that have none stored. This is no change of the settings. */
  async storeKeepers(ids: readonly number[]): Promise<void> {
    const unstored = { _id: { $in: [...ids] }, keeperId: { $exists: false } };
    await webhooks.updateMany(unstored, [{ $set: { keeperId: "$authorId" } }]);
  },

  async countDisabled(): Promise<Record<string, number>> {
    const count = async (disabledReason: Webhook_DisabledReason) => [
      disabledReason,
      await webhooks.countDocuments({ disabledReason }),
    ];
    return Object.fromEntries(await Promise.all(Object.values(Webhook_DisabledReason).map(count)));
  },
});

const namespaceQueries = (webhooks: Collection<WebhookDoc>) => ({
  idsInNamespace: async (namespaceId: number): Promise<number[]> =>
    idsOf(await webhooks.find({ namespaceId }, { projection: { _id: 1 } }).toArray()),

  activeInNamespaces: (namespaceIds: readonly number[], afterId: number): Promise<ShortWebhook[]> =>
    webhooks
      .find<ShortWebhook>(
        { namespaceId: { $in: [...namespaceIds] }, active: true, _id: { $gt: afterId } },
        { projection: { "headers.list": 0 } },
      )
      .sort({ _id: 1 })
      .toArray(),
});
