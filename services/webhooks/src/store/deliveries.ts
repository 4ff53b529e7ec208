import { duplicateKey, onlyRefusedBy } from "@ci/kit/mongo/duplicates";
import { page } from "@ci/kit/mongo/page";
import type { PageInfo } from "@ci/proto/common/v1/page";
import { type Delivery, Delivery_Status } from "@ci/proto/webhooks/v1/webhooks";
import type { Collection, Sort } from "mongodb";
import { attemptWrites } from "./delivery-attempts.js";
import { deliveryCounts } from "./delivery-counts.js";
import { type DeliveryDoc, dueAfterFirst, dueImmediately, oncePerEventIndex, toDelivery } from "./delivery-doc.js";
import { dueQueries } from "./due-deliveries.js";
import { redeliveryWrites } from "./redeliveries.js";
import { testDeliveries } from "./test-deliveries.js";
import type { WebhookDoc } from "./webhook-doc.js";

const maxRemoved = 1_000;

export type Deliveries = ReturnType<typeof deliveryStore>;

export const deliveryStore = (deliveries: Collection<DeliveryDoc>) => ({
  ...logQueries(deliveries),
  ...deliveryCounts(deliveries),
  ...dueQueries(deliveries),
  ...attemptWrites(deliveries),
  ...redeliveryWrites(deliveries),
  ...testDeliveries(deliveries),
  ...payloadQueries(deliveries),
  ...removals(deliveries),
});

async function notStored(deliveries: Collection<DeliveryDoc>, docs: readonly DeliveryDoc[]): Promise<DeliveryDoc[]> {
  const webhookIds = [...new Set(docs.map(({ webhookId }) => webhookId))];
  const eventIds = [...new Set(docs.map(({ eventId }) => eventId))];
  const filter = { webhookId: { $in: webhookIds }, eventId: { $in: eventIds } };
  const found = await deliveries.find(filter, { projection: { _id: 0, webhookId: 1, eventId: 1 } }).toArray();
  const keyOf = ({ webhookId, eventId }: Pick<DeliveryDoc, "webhookId" | "eventId">) => `${webhookId} ${eventId}`;
  const seen = new Set(found.map(keyOf));
  return docs.filter((doc) => !seen.has(keyOf(doc)) && seen.add(keyOf(doc)));
}

/** Resolves when what the log has is on the disk: the server confirms a refused write no earlier. */
const awaitDisk = (deliveries: Collection<DeliveryDoc>, stored: DeliveryDoc) =>
  deliveries.insertOne(stored).catch((error) => {
    if (!duplicateKey(error)) throw error;
  });

/**
 * Stores deliveries in order and returns whether all events were new. If it fails, it has stored nothing after the failure.
 * `check` throws if another process may have stored later events: each attempt begins with it.
 */
async function insert(
  deliveries: Collection<DeliveryDoc>,
  docs: readonly DeliveryDoc[],
  check: () => void,
): Promise<boolean> {
  check();
  try {
    await deliveries.insertMany(docs, { ordered: true });
    return true;
  } catch (error) {
    if (!onlyRefusedBy(oncePerEventIndex, error)) throw error;
    const missing = await notStored(deliveries, docs);
    if (missing.length > 0) await insert(deliveries, missing, check);
    else await awaitDisk(deliveries, docs.at(-1)!);
    return false;
  }
}

const logQueries = (deliveries: Collection<DeliveryDoc>) => ({
  insert: (docs: readonly DeliveryDoc[], check: () => void) => insert(deliveries, docs, check),

  /** Returns those of the events that a webhook has deliveries of. Reads an index only. */
  eventsAmong: async (webhookId: number, eventIds: readonly string[]): Promise<Set<string>> => {
    const filter = { webhookId, eventId: { $in: [...eventIds] } };
    const found = await deliveries.find(filter, { projection: { _id: 0, eventId: 1 } }).toArray();
    return new Set(found.map(({ eventId }) => eventId));
  },

  /** Counts what waits after the first attempts of a webhook, up to a limit. Reads an index only. */
  waitingAfterFirst: (webhookId: number, limit: number): Promise<number> =>
    deliveries.countDocuments({ webhookId, dueAt: dueAfterFirst }, { limit }),

  get: (webhookId: number, id: number) => deliveries.findOne({ _id: id, webhookId }),

  async lastId(webhookId: number): Promise<number | undefined> {
    const recorded = { webhookId, test: { $exists: false } };
    const newest = deliveries.find(recorded, { projection: { _id: 1 } }).sort({ _id: -1 });
    return (await newest.limit(1).toArray())[0]?._id;
  },

  /** Returns a page, newest first. Each delivery has its last attempt, but no request and response. */
  async list(
    { webhookId, failed }: Pick<DeliveryDoc, "webhookId"> & { failed: boolean },
    number: number | undefined,
  ): Promise<{ items: Delivery[]; page: PageInfo }> {
    const filter = { webhookId, ...(failed && { status: Delivery_Status.failed }) };
    const newestFirst: Sort = failed ? { createdAt: -1, _id: -1 } : { _id: -1 };
    const short = { request: 0, sharedRequest: 0, response: 0, attempts: { $slice: -1 } };
    const found = deliveries.find(filter, { projection: short }).sort(newestFirst);
    const { items, page: info } = await page(found, number, (options) => deliveries.countDocuments(filter, options));
    return { items: items.map(toDelivery), page: info };
  },
});

const payloadQueries = (deliveries: Collection<DeliveryDoc>) => ({
  /** Returns those of the payloads to which deliveries refer. */
  usedPayloads: (ids: readonly string[]): Promise<string[]> =>
    // A removal of deliveries that may still be rolled back does not count.
    deliveries.distinct(
      "sharedRequest.payloadId",
      { "sharedRequest.payloadId": { $in: [...ids] } },
      { readConcern: "majority" },
    ),
});

const removals = (deliveries: Collection<DeliveryDoc>) => ({
  /** Cancels pending deliveries up to an id that the webhook in its present state no longer sends, as `isWanted` says. */
  async cancel({ _id: webhookId, active, activeSince }: WebhookDoc, lastId: number): Promise<void> {
    const unwanted = {
      redelivery: false,
      farewell: { $exists: false },
      ...(active && { createdAt: { $lt: activeSince } }),
    };
    await deliveries.updateMany(
      { webhookId, dueAt: { $gte: dueImmediately }, _id: { $lte: lastId }, ...unwanted },
      { $set: { status: Delivery_Status.cancelled }, $unset: { dueAt: "", nextAttemptAt: "", secrets: "" } },
    );
  },

  /** Returns those webhooks whose last delivery is pending. */
  withFarewell: (webhookIds: readonly number[]): Promise<number[]> =>
    deliveries.distinct("webhookId", {
      webhookId: { $in: [...webhookIds] },
      dueAt: { $exists: true },
      farewell: { $exists: true },
    }),

  /** Removes a batch of a webhook's deliveries. Returns their number, 0 if none is left. */
  async removeSome(webhookId: number): Promise<number> {
    const newest = deliveries.find({ webhookId }, { projection: { _id: 1 } }).sort({ _id: -1 });
    const ids = (await newest.limit(maxRemoved).toArray()).map(({ _id }) => _id);
    return ids.length === 0 ? 0 : (await deliveries.deleteMany({ _id: { $in: ids } })).deletedCount;
  },

  /** Removes a batch of the deliveries created before a time. Returns their number, 0 if none is left. */
  async prune(before: Date): Promise<number> {
    // Ids grow with time, so the index of _id suffices.
    const oldest = await deliveries
      .find({ _id: { $gt: 0 } }, { projection: { createdAt: 1 } })
      .sort({ _id: 1 })
      .limit(maxRemoved)
      .toArray();
    const old = oldest.filter(({ createdAt }) => createdAt && createdAt < before);
    if (old.length === 0) return 0;
    return (await deliveries.deleteMany({ _id: { $in: old.map(({ _id }) => _id) } })).deletedCount;
  },
});
