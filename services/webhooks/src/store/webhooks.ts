import { fromStored, type Stored } from "@ci/kit/mongo/document";
import { complainIfTaken, page } from "@ci/kit/mongo/mongo";
import type { PageInfo } from "@ci/proto/common/v1/page";
import { type LastResponse, type Webhook, Webhook_DisabledReason } from "@ci/proto/webhooks/v1/webhooks";
import type { Collection, Filter, UpdateFilter } from "mongodb";
import type { SealedSecrets } from "./sealed.js";

/** Who sends to a webhook now: nobody else may while that process lives. */
export interface Lane {
  readonly holder: string;
}

/** A webhook and what must not leave. */
export type WebhookDoc = Stored<Webhook> & {
  /** The payload URL in one spelling, unique within the namespace. */
  targetKey: string;
  secrets: SealedSecrets;
  /** When it was last switched on: it is not told what happened before. */
  activeSince: Date;
  /** First failure after the last success or activation. */
  failingSince?: Date;
  /** Counts changes by callers; what was decided on an older one no longer holds. */
  revision: number;
  lane?: Lane;
  /** From where on failed deliveries are to be sent again. */
  again?: Again;
};

/** A place in the log of a webhook: after it lies what was made later, or at the same time with a higher id. */
export interface Again {
  readonly since: Date;
  readonly id: number;
}

/** What a caller's change writes; a field that is there and undefined goes. */
export type WebhookChange = Pick<
  WebhookDoc,
  "payloadUrl" | "targetKey" | "ssl" | "events" | "active" | "activeSince"
> & { secrets?: SealedSecrets; disabledReason?: undefined; failingSince?: undefined };

/** What an attempt tells about the webhook. */
export type Told = { readonly lastResponse: LastResponse; readonly failingSince?: Date };

/** What the last of some attempts told, if there were any, and whether the holder gives the lane up. */
export interface News {
  readonly webhookId: number;
  readonly told?: Told;
  readonly over: boolean;
}

/** The message of a document. */
export function shown(doc: WebhookDoc): Webhook {
  const { targetKey, secrets, activeSince, failingSince, revision, lane, again, ...stored } = doc;
  return fromStored<Webhook>(stored);
}

const nameTaken = complainIfTaken("payload_url", "Payload URL already exists");
/** Who holds a lane, and what was answered last, may be lost with a server: then something is told twice. */
const quick = { writeConcern: { w: 1, journal: false } } as const;

/** A $set that removes what is undefined. */
const put = <T extends object>(fields: T): UpdateFilter<WebhookDoc> => {
  const gone = Object.entries(fields).filter(([, value]) => value === undefined);
  return { $set: fields, ...(gone.length > 0 ? { $unset: Object.fromEntries(gone.map(([name]) => [name, ""])) } : {}) };
};

export type Webhooks = ReturnType<typeof webhookStore>;

export const webhookStore = (webhooks: Collection<WebhookDoc>) => ({
  /** Invalid `payload_url` when the namespace has a webhook for the same address. */
  async insert(doc: WebhookDoc): Promise<void> {
    await webhooks.insertOne(doc).catch(nameTaken);
  },

  get: (namespaceId: number, id: number) => webhooks.findOne({ _id: id, namespaceId }),

  list: (namespaceId: number, number: number | undefined): Promise<{ items: WebhookDoc[]; page: PageInfo }> =>
    page(webhooks.find({ namespaceId }).sort({ _id: 1 }), number, () => webhooks.countDocuments({ namespaceId })),

  /** Whether the namespace has another webhook for the same address. */
  takenBy: async (namespaceId: number, targetKey: string, exceptId?: number): Promise<boolean> => {
    const other = await webhooks.findOne({ namespaceId, targetKey }, { projection: { _id: 1 } });
    return other !== null && other._id !== exceptId;
  },

  /** Writes a change unless the webhook was changed or removed since `doc` was read: then null. */
  change: ({ _id, revision }: WebhookDoc, change: WebhookChange): Promise<WebhookDoc | null> =>
    webhooks
      .findOneAndUpdate({ _id, revision }, { ...put(change), $inc: { revision: 1 } }, { returnDocument: "after" })
      .catch(nameTaken),

  /** Switches a webhook off unless it was changed since `doc` was read; answers whether it did. */
  async deactivate({ _id, revision }: WebhookDoc, disabledReason: Webhook_DisabledReason): Promise<boolean> {
    const off = { $set: { active: false, disabledReason }, $inc: { revision: 1 } };
    return (await webhooks.updateOne({ _id, revision, active: true }, off)).modifiedCount > 0;
  },

  /** How many are off because of their receivers, by reason. */
  async disabled(): Promise<Record<string, number>> {
    const count = async (disabledReason: Webhook_DisabledReason) => [
      disabledReason,
      await webhooks.countDocuments({ disabledReason }),
    ];
    return Object.fromEntries(await Promise.all(Object.values(Webhook_DisabledReason).map(count)));
  },

  /** Switches off all webhooks of a user; answers their ids. */
  async deactivateOf(userId: number): Promise<number[]> {
    const theirs = await webhooks.find({ userId }, { projection: { _id: 1 } }).toArray();
    await webhooks.updateMany({ userId, active: true }, { $set: { active: false }, $inc: { revision: 1 } });
    return theirs.map(({ _id }) => _id);
  },

  /**
   * Switches off webhooks that a user has created among their own, as long as nobody has changed them since; returns
   * their ids.
   */
  async deactivateNew(userId: number): Promise<number[]> {
    const left = { userId, authorId: userId, revision: 1, active: true };
    const theirs = await webhooks.find(left, { projection: { _id: 1 } }).toArray();
    const ids = theirs.map(({ _id }) => _id);
    await webhooks.updateMany({ _id: { $in: ids }, revision: 1 }, { $set: { active: false }, $inc: { revision: 1 } });
    return ids;
  },

  async remove(id: number): Promise<void> {
    await webhooks.deleteOne({ _id: id });
  },

  idsOf: async (namespaceId: number): Promise<number[]> =>
    (await webhooks.find({ namespaceId }, { projection: { _id: 1 } }).toArray()).map(({ _id }) => _id),

  /** The active ones of these namespaces, by id. */
  activeOf: (namespaceIds: readonly number[]): Promise<WebhookDoc[]> =>
    webhooks
      .find({ namespaceId: { $in: [...namespaceIds] }, active: true })
      .sort({ _id: 1 })
      .toArray(),

  /** Takes the lane of a webhook if it is free, the holder's own, or was left by `dead`. */
  claim: (id: number, holder: string, dead?: string): Promise<WebhookDoc | null> =>
    webhooks.findOneAndUpdate(
      { _id: id, "lane.holder": { $in: [null, holder, ...(dead === undefined ? [] : [dead])] } } as Filter<WebhookDoc>,
      { $set: { lane: { holder } } },
      { returnDocument: "after", ...quick },
    ),

  /** Who has the lane of a webhook: undefined when nobody has, null when there is no such webhook. */
  async holderOf(id: number): Promise<string | undefined | null> {
    const found = await webhooks.findOne({ _id: id }, { projection: { lane: 1 } });
    return found === null ? null : found.lane?.holder;
  },

  /** These webhooks as they are now. */
  read: (ids: readonly number[]): Promise<WebhookDoc[]> => webhooks.find({ _id: { $in: [...ids] } }).toArray(),

  /** Writes what attempts told of webhooks whose lanes the holder still has, and gives up the lanes that are over. */
  async tell(holder: string, news: readonly News[]): Promise<void> {
    const lines = news.map(({ webhookId, told, over }) => ({
      updateOne: {
        filter: { _id: webhookId, "lane.holder": holder },
        update: put({
          ...(told && { ...told, failingSince: told.failingSince }),
          ...(over && { lane: undefined }),
        }),
      },
    }));
    await webhooks.bulkWrite(lines, quick);
  },

  /** Asks for the failed deliveries since a time; whatever else was asked for stays so. False when there is no such webhook. */
  async sendAgain(id: number, since: Date): Promise<boolean> {
    const asked = { $min: { "again.since": since }, $set: { "again.id": 0 } } as UpdateFilter<WebhookDoc>;
    return (await webhooks.updateOne({ _id: id }, asked)).matchedCount > 0;
  },

  /** Some of the webhooks whose failed deliveries were asked for, with how far that came. */
  askedAgain: (): Promise<Pick<WebhookDoc, "_id" | "again">[]> =>
    webhooks
      .find({ "again.since": { $exists: true } } as Filter<WebhookDoc>, { projection: { again: 1 } })
      .limit(100)
      .toArray(),

  /** Notes how far it came; undefined: to the end. Somebody who asked for more meanwhile is not forgotten. */
  async sentAgain(id: number, { since, id: after }: Again, last: Again | undefined): Promise<void> {
    const before = { _id: id, "again.since": since, "again.id": after } as Filter<WebhookDoc>;
    await webhooks.updateOne(before, put({ again: last }));
  },
});
