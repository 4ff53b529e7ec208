import { fixedLimit } from "@ci/kit/process/fixed-limit";
import type { Collection, Filter } from "mongodb";
import {
  type Backlog,
  type DeliveryDoc,
  type DueDeliveries,
  type DueDelivery,
  dueAfterFirst,
  dueImmediately,
  isAfterFirst,
  isFirstAttempt,
  maxWaitingPayloadBytes,
  sizeInMemory,
} from "./delivery-doc.js";

export const maxDue = fixedLimit({
  max: 64,
  about: "due deliveries of one webhook in memory",
  effect: "further ones are read after these",
});
const maxDueBytes = fixedLimit({
  max: 128 * 1024,
  unit: "bytes",
  about: "due deliveries of one webhook in memory",
  effect: "further ones are read after these",
});
const maxAmongOthers = 4;

/** Puts replayed events and deliveries that are redelivered together last. */
const inOrder = (docs: readonly DueDelivery[]): DueDelivery[] => [
  ...docs.filter((doc) => !isAfterFirst(doc)),
  ...docs.filter(isAfterFirst),
];

const payloadBytes = { $strLenBytes: { $ifNull: ["$request.payload", ""] } };
type Kept = Exclude<keyof DueDelivery, "_id" | "response">;

/** Leaves out what no limit of memory counts: responses of earlier attempts, and long payloads. */
const withoutLong: { readonly [Field in Kept]-?: 1 | object } = {
  webhookId: 1,
  deliveryId: 1,
  eventId: 1,
  event: 1,
  status: 1,
  attempts: 1,
  attemptCount: 1,
  nextAttemptAt: 1,
  createdAt: 1,
  sharedRequest: 1,
  dueAt: 1,
  secrets: 1,
  redelivery: 1,
  asked: 1,
  trail: 1,
  farewell: 1,
  test: 1,
  request: { $cond: [{ $gt: [payloadBytes, maxWaitingPayloadBytes] }, { headers: "$request.headers" }, "$request"] },
  payloadBytes,
};

const dueAmong = (deliveries: Collection<DeliveryDoc>, filter: Filter<DeliveryDoc>, limit: number) =>
  deliveries
    .find<DueDelivery>(filter, { projection: withoutLong, batchSize: 8 })
    .sort({ dueAt: 1, _id: 1 })
    .limit(limit);

/** Returns what takes deliveries one by one and reports whether there is room for further ones. */
export function dueRoom(): (doc: DueDelivery) => boolean {
  let [count, sizeBytes] = [0, 0];
  return (doc) => {
    count++;
    sizeBytes += sizeInMemory(doc);
    return count < maxDue && sizeBytes <= maxDueBytes;
  };
}

const maxBacklog = fixedLimit({
  max: 100_000,
  about: "waiting deliveries that the metrics count",
  effect: "more are shown as this number",
});

export const dueQueries = (deliveries: Collection<DeliveryDoc>) => ({
  dueWebhooks: (now: Date): Promise<number[]> =>
    deliveries.distinct("webhookId", { webhookId: { $gt: 0 }, dueAt: { $lte: now } }),

  hasDue: async (before: Date): Promise<boolean> =>
    (await deliveries.findOne({ webhookId: { $gt: 0 }, dueAt: { $lte: before } }, { projection: { _id: 1 } })) !== null,

  /** Returns what is due for a webhook: first attempts in order of their events, then retries, then what is `dueAfterFirst`. */
  async due(webhookId: number, now: Date): Promise<DueDeliveries> {
    const docs: DueDelivery[] = [];
    const hasRoom = dueRoom();
    let complete = true;
    for await (const doc of dueAmong(deliveries, { webhookId, dueAt: { $lte: now } }, maxDue)) {
      docs.push(doc);
      complete = hasRoom(doc);
      if (!complete) break;
    }
    if (complete) return { docs: inOrder(docs), left: "nothing" };
    // An endless run of one kind must not starve what comes after it.
    const some = (after: Date) =>
      dueAmong(deliveries, { webhookId, dueAt: { $gt: after, $lte: now } }, maxAmongOthers).toArray();
    const first = docs.filter(isFirstAttempt);
    const rest = docs.slice(first.length);
    const next = rest.length > 0 ? rest : await some(dueImmediately);
    const left = rest.length === 0 && next.length < maxAmongOthers ? "first" : "any";
    const last = next.filter(isAfterFirst);
    if (last.length === 0) return { docs: [...first, ...next], left };
    const retries = isAfterFirst(next.at(-1)!) ? await some(dueAfterFirst) : next.slice(last.length);
    return { docs: [...first, ...retries, ...last], left: "any" };
  },

  /** Returns a delivery's own payload; undefined if the delivery is removed. */
  payloadOf: async (id: number): Promise<string | undefined> =>
    (await deliveries.findOne({ _id: id }, { projection: { "request.payload": 1 } }))?.request?.payload,

  hasFirstPending: async (webhookId: number): Promise<boolean> => {
    const first = { webhookId, dueAt: dueImmediately, attemptCount: 0 };
    return (await deliveries.findOne(first, { projection: { _id: 1 } })) !== null;
  },

  /**
   * Counts pending deliveries up to 100,000. Neither those of paced webhooks nor replayed events count as late, nor do deliveries
   * that are redelivered together. Reads an index and one delivery.
   */
  async backlog(now: Date, paced: readonly number[]): Promise<Backlog> {
    const pending = { webhookId: { $gt: 0 }, dueAt: { $gte: dueImmediately } };
    const late = { webhookId: { $gt: 0, $nin: [...paced] }, dueAt: { $gte: dueImmediately, $ne: dueAfterFirst } };
    const isFirst = { $eq: ["$dueAt", dueImmediately] };
    const [all] = await deliveries
      .aggregate<{ first: number | null; retry: Date | null }>([
        { $match: late },
        { $limit: maxBacklog },
        { $project: { dueAt: 1 } },
        {
          $group: {
            _id: null,
            first: { $min: { $cond: [isFirst, "$_id", null] } },
            retry: { $min: { $cond: [isFirst, null, "$dueAt"] } },
          },
        },
      ])
      .toArray();
    const oldest = all?.first && (await deliveries.findOne({ _id: all.first }, { projection: { createdAt: 1 } }));
    const since = [oldest ? oldest.createdAt : undefined, all?.retry].map((at) => at?.getTime() ?? now.getTime());
    const waiting = await deliveries.countDocuments(pending, { limit: maxBacklog });
    return { waiting, lagMs: Math.max(0, now.getTime() - Math.min(...since)) };
  },
});
