import { fixedLimit } from "@ci/kit/process/fixed-limit";
import type { Collection } from "mongodb";
import {
  type Backlog,
  type DeliveryDoc,
  type DueDeliveries,
  dueImmediately,
  isFirstAttempt,
  sizeInMemory,
} from "./delivery-doc.js";

export const maxDue = fixedLimit({
  max: 64,
  about: "due deliveries of one webhook in memory",
  effect: "further ones are read after these",
});
const maxDueBytes = fixedLimit({
  max: 1024 ** 2,
  unit: "bytes",
  about: "due deliveries of one webhook in memory",
  effect: "further ones are read after these",
});
const retriesAmongFirst = 4;
/** No limit of memory counts the responses of earlier attempts. A large batch would exceed the limit of due bytes. */
const reading = { projection: { response: 0 }, batchSize: 8 } as const;
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

  /** Returns what is due for a webhook: first attempts in order of their events, then retries. Limited in size. */
  async due(webhookId: number, now: Date): Promise<DueDeliveries> {
    const found = deliveries.find({ webhookId, dueAt: { $lte: now } }, reading).sort({ dueAt: 1, _id: 1 });
    const docs: DeliveryDoc[] = [];
    let sizeBytes = 0;
    for await (const doc of found.limit(maxDue)) {
      docs.push(doc);
      sizeBytes += sizeInMemory(doc);
      if (sizeBytes > maxDueBytes) break;
    }
    const complete = docs.length < maxDue && sizeBytes <= maxDueBytes;
    if (complete || !isFirstAttempt(docs.at(-1)!)) return { docs, left: complete ? "nothing" : "any" };
    // An endless run of first attempts must not starve retries.
    const retries = deliveries.find({ webhookId, dueAt: { $gt: dueImmediately, $lte: now } }, reading);
    const oldest = await retries.sort({ dueAt: 1, _id: 1 }).limit(retriesAmongFirst).toArray();
    return { docs: [...docs, ...oldest], left: oldest.length < retriesAmongFirst ? "first" : "any" };
  },

  hasFirstPending: async (webhookId: number): Promise<boolean> => {
    const first = { webhookId, dueAt: dueImmediately, attemptCount: 0 };
    return (await deliveries.findOne(first, { projection: { _id: 1 } })) !== null;
  },

  /** Counts pending deliveries up to 100,000. Reads an index and one delivery. */
  async backlog(now: Date): Promise<Backlog> {
    const isFirst = { $eq: ["$dueAt", dueImmediately] };
    const [all] = await deliveries
      .aggregate<{ waiting: number; first: number | null; retry: Date | null }>([
        { $match: { webhookId: { $gt: 0 }, dueAt: { $gte: dueImmediately } } },
        { $limit: maxBacklog },
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
});
