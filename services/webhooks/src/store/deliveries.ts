import { fromStored, type Stored } from "@ci/kit/mongo/document";
import { onlyRefusedBy, page } from "@ci/kit/mongo/mongo";
import type { Trail } from "@ci/kit/rpc/caller";
import type { PageInfo } from "@ci/proto/common/v1/page";
import {
  type Attempt,
  type Delivery,
  Delivery_Status,
  type ReceivedResponse,
  type SentRequest,
} from "@ci/proto/webhooks/v1/webhooks";
import type { AnyBulkWriteOperation, Collection } from "mongodb";
import type { Again } from "./webhooks.js";

/** A delivery and what must not leave. */
export type DeliveryDoc = Stored<Delivery> & {
  request: SentRequest;
  /** Only while pending: when the next attempt may begin; of first attempts, `atOnce`. */
  dueAt?: Date;
  /** Sealed; only while pending. A redelivery is signed with what the webhook has by then. */
  secrets?: readonly string[];
  /** The next attempt was asked for by hand. */
  redelivery: boolean;
  /** How often that was asked for: an attempt that was under way by then is not the one. */
  asked: number;
  /** The request that the event is a consequence of. */
  trail?: Trail;
  /** The last one of a removed namespace: after it the webhook goes. */
  farewell?: boolean;
};

/** What an attempt leaves in the record. */
export interface Recorded {
  readonly status: Delivery_Status;
  readonly retryAt?: Date;
  readonly attempt: Attempt;
  readonly headers: Readonly<Record<string, string>>;
  readonly response?: ReceivedResponse;
}

/** One attempt of a delivery, as this was before it. */
export interface Made {
  readonly delivery: DeliveryDoc;
  readonly recorded: Recorded;
}

/** Deliveries that are due, and whether there are no others. */
export interface Due {
  readonly docs: readonly DeliveryDoc[];
  readonly all: boolean;
}

/** How many deliveries wait, and how long the oldest could have been attempted already. */
export interface Backlog {
  readonly waiting: number;
  readonly lagMs: number;
}

/** Before all other times, and the same for all: what is due at once goes in order of ids, whatever clocks say. */
export const atOnce = new Date(0);

/** The name of the index that gives each event one delivery for each webhook. */
export const onceEach = "webhookId_1_eventId_1";

const dueAtATime = 64;
const dueBytesAtATime = 1024 ** 2;
const retriesAmong = 4;
const keptAttempts = 100;
const removedAtATime = 1_000;
const askedAtATime = 200;

type Write = AnyBulkWriteOperation<DeliveryDoc>;

/** What an attempt came to may be lost with a server: then the receiver is told twice. */
const quick = { writeConcern: { w: 1, journal: false } } as const;

/** The operand of $unset for the names given. */
const without = (...names: (string | false)[]): Record<string, ""> =>
  Object.fromEntries(names.filter((name) => name !== false).map((name) => [name, ""]));

/** What every attempt leaves, whatever comes next. */
function tried({ attempt, headers, response }: Recorded) {
  const gone = without(response === undefined && "response");
  const push = { attempts: { $each: [attempt], $slice: -keptAttempts } };
  return { set: { attemptCount: attempt.number, response, "request.headers": headers }, gone, push };
}

/** The attempt that was due: with it, what is due next is decided. */
function asMade({ delivery, recorded }: Made): Write {
  const { _id, attemptCount, asked } = delivery;
  const { status, retryAt } = recorded;
  const { set, gone, push } = tried(recorded);
  const waits = { dueAt: retryAt, nextAttemptAt: retryAt };
  const nothingWaits = without(!retryAt && "dueAt", !retryAt && "nextAttemptAt", !retryAt && "secrets");
  return {
    updateOne: {
      filter: { _id, attemptCount, asked },
      update: {
        $set: { ...set, ...waits, status, redelivery: false },
        $unset: { ...gone, ...nothingWaits },
        $push: push,
      },
    },
  };
}

/** The same attempt, while what is due next was decided by somebody else. */
function asMadeBeside({ delivery: { _id, attemptCount }, recorded }: Made): Write {
  const { set, gone, push } = tried(recorded);
  return { updateOne: { filter: { _id, attemptCount }, update: { $set: set, $unset: gone, $push: push } } };
}

/** The message of a document. */
export function shown(doc: DeliveryDoc): Delivery {
  const { dueAt, secrets, redelivery, asked, farewell, trail, ...stored } = doc;
  return fromStored<Delivery>(stored);
}

export type Deliveries = ReturnType<typeof deliveryStore>;

export const deliveryStore = (deliveries: Collection<DeliveryDoc>) => ({
  /**
   * Adds what is new: a webhook has one delivery per event. Answers whether all were. Throws when one could not be added
   * for any other reason.
   */
  async insert(docs: readonly DeliveryDoc[]): Promise<boolean> {
    try {
      await deliveries.insertMany(docs, { ordered: false });
      return true;
    } catch (error) {
      if (!onlyRefusedBy(onceEach, error)) throw error;
      return false;
    }
  },

  get: (webhookId: number, id: number) => deliveries.findOne({ _id: id, webhookId }),

  /** Newest first, in short form: without request and response, with the last attempt. */
  async list(webhookId: number, number: number | undefined): Promise<{ items: Delivery[]; page: PageInfo }> {
    const short = { request: 0, response: 0, attempts: { $slice: -1 } };
    const found = deliveries.find({ webhookId }, { projection: short }).sort({ _id: -1 });
    const { items, page: info } = await page(found, number, () => deliveries.countDocuments({ webhookId }));
    return { items: items.map(shown), page: info };
  },

  /** Webhooks that something is due for. */
  dueWebhooks: (now: Date): Promise<number[]> =>
    deliveries.distinct("webhookId", { webhookId: { $gt: 0 }, dueAt: { $lte: now } }),

  /** What is due for a webhook now: first attempts in order of emission, then retries; some of them if they are many. */
  async due(webhookId: number, now: Date): Promise<Due> {
    const found = deliveries.find({ webhookId, dueAt: { $lte: now } }).sort({ dueAt: 1, _id: 1 });
    const oldest: DeliveryDoc[] = [];
    let sizeBytes = 0;
    for await (const doc of found.limit(dueAtATime)) {
      oldest.push(doc);
      sizeBytes += doc.request.payload.length;
      if (sizeBytes > dueBytesAtATime) break;
    }
    const all = oldest.length < dueAtATime && sizeBytes <= dueBytesAtATime;
    if (all || oldest.at(-1)!.dueAt! > atOnce) return { docs: oldest, all };
    // First attempts that never end must not keep a retry from its turn.
    const retries = deliveries.find({ webhookId, dueAt: { $gt: atOnce, $lte: now } }).sort({ dueAt: 1, _id: 1 });
    return { docs: [...oldest, ...(await retries.limit(retriesAmong).toArray())], all };
  },

  /** Whether a first attempt is still to be made. */
  firstPending: async (webhookId: number): Promise<boolean> =>
    (await deliveries.findOne({ webhookId, dueAt: atOnce, attemptCount: 0 }, { projection: { _id: 1 } })) !== null,

  /** Writes attempts down, each once. A redelivery asked for meanwhile stays asked for. */
  async record(made: readonly Made[]): Promise<void> {
    const { matchedCount } = await deliveries.bulkWrite(made.map(asMade), quick);
    // Somebody asked for another attempt meanwhile: those that are written already match no more.
    if (matchedCount < made.length) await deliveries.bulkWrite(made.map(asMadeBeside), quick);
  },

  /** Asks for one more attempt; null when there is no such delivery or its first attempt is still to come. */
  redeliver: (webhookId: number, id: number, now: Date): Promise<DeliveryDoc | null> =>
    deliveries.findOneAndUpdate(
      { _id: id, webhookId, $or: [{ status: { $ne: Delivery_Status.pending } }, { attemptCount: { $gt: 0 } }] },
      {
        $set: { status: Delivery_Status.pending, redelivery: true, dueAt: now },
        $unset: { nextAttemptAt: "" },
        $inc: { asked: 1 },
      },
      { returnDocument: "after" },
    ),

  /** What waits, as far as 100,000 deliveries show it. Reads an index and one delivery. */
  async backlog(now: Date): Promise<Backlog> {
    const isFirst = { $eq: ["$dueAt", atOnce] };
    const [all] = await deliveries
      .aggregate<{ waiting: number; first: number | null; retry: Date | null }>([
        { $match: { webhookId: { $gt: 0 }, dueAt: { $gte: atOnce } } },
        { $limit: 100_000 },
        { $project: { dueAt: 1 } },
        {
          $group: {
            _id: null,
            waiting: { $sum: 1 },
            first: { $min: { $cond: [isFirst, "$_id", null] } },
            retry: { $min: { $cond: [isFirst, null, "$dueAt"] } },
          },
        },
      ])
      .toArray();
    const oldest = all?.first && (await deliveries.findOne({ _id: all.first }, { projection: { createdAt: 1 } }));
    const since = [oldest ? oldest.createdAt : undefined, all?.retry].map((at) => at?.getTime() ?? now.getTime());
    return { waiting: all?.waiting ?? 0, lagMs: Math.max(0, now.getTime() - Math.min(...since)) };
  },

  /** How many made since a time have failed. */
  countFailed: (webhookId: number, since: Date): Promise<number> =>
    deliveries.countDocuments({ webhookId, status: Delivery_Status.failed, createdAt: { $gte: since } }),

  /**
   * Makes the next failed ones after a place due, behind all first attempts; answers how many, and up to which, which
   * is undefined when there are no more.
   */
  async redeliverFailed(webhookId: number, { since, id }: Again, now: Date): Promise<{ count: number; last?: Again }> {
    const status = Delivery_Status.failed;
    const later = [{ createdAt: { $gt: since } }, { createdAt: since, _id: { $gt: id } }];
    const some = await deliveries
      .find({ webhookId, status, $or: later }, { projection: { createdAt: 1 } })
      .sort({ createdAt: 1, _id: 1 })
      .limit(askedAtATime)
      .toArray();
    const { modifiedCount: count } = await deliveries.updateMany(
      { _id: { $in: some.map(({ _id }) => _id) }, status },
      {
        $set: { status: Delivery_Status.pending, redelivery: true, dueAt: now },
        $unset: { nextAttemptAt: "" },
        $inc: { asked: 1 },
      },
    );
    const end = some.at(-1);
    return { count, last: some.length < askedAtATime ? undefined : { since: end!.createdAt!, id: end!._id } };
  },

  /** Gives up what waits by itself; what was asked for by hand and farewells still go. */
  async cancel(webhookId: number): Promise<void> {
    await deliveries.updateMany(
      { webhookId, dueAt: { $gte: atOnce }, redelivery: false, farewell: { $exists: false } },
      { $set: { status: Delivery_Status.cancelled }, $unset: { dueAt: "", nextAttemptAt: "", secrets: "" } },
    );
  },

  /** Which of these webhooks have their last delivery still before them. */
  withFarewell: (webhookIds: readonly number[]): Promise<number[]> =>
    deliveries.distinct("webhookId", {
      webhookId: { $in: [...webhookIds] },
      dueAt: { $exists: true },
      farewell: { $exists: true },
    }),

  async removeOf(webhookId: number): Promise<void> {
    await deliveries.deleteMany({ webhookId });
  },

  /** Removes some of the deliveries made before a time; answers how many, 0 when none is left. */
  async prune(before: Date): Promise<number> {
    // Ids grow with time, so the log needs no index of its own for this.
    const oldest = await deliveries
      .find({ _id: { $gt: 0 } }, { projection: { createdAt: 1 } })
      .sort({ _id: 1 })
      .limit(removedAtATime)
      .toArray();
    const old = oldest.filter(({ createdAt }) => createdAt && createdAt < before);
    if (old.length === 0) return 0;
    return (await deliveries.deleteMany({ _id: { $in: old.map(({ _id }) => _id) } })).deletedCount;
  },
});
