import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { Delivery_Status, type DeliveryCount } from "@ci/proto/webhooks/v1/webhooks";
import type { Collection, Filter } from "mongodb";
import { type DeliveryDoc, dueAfterFirst } from "./delivery-doc.js";
import type { LogPosition } from "./webhook-doc.js";

const maxRedelivered = fixedLimit({
  max: 200,
  about: "failed or cancelled deliveries that are requested again in one step",
  effect: "the rest follows in further steps",
});

const maxCounted = fixedLimit({
  max: 1_000,
  about: "failed or cancelled deliveries that the answer to a request to send them again counts",
  effect: "the answer says that there may be more; all are sent again",
});

/** Makes a delivery due, and one that is being sent due again. */
export const requestAttempt = (dueAt: Date) =>
  ({
    $set: { status: Delivery_Status.pending, redelivery: true, dueAt },
    $unset: { nextAttemptAt: "" },
    $inc: { asked: 1 },
  }) as const;

const undeliveredStatuses = [Delivery_Status.failed, Delivery_Status.cancelled];

/** Matches events that have failed for good or were cancelled. Each status has its own index. */
const undelivered = (filter: Filter<DeliveryDoc>): Filter<DeliveryDoc> => ({
  $or: undeliveredStatuses.map((status) => ({ status, test: { $exists: false }, ...filter })),
});

export const redeliveryWrites = (deliveries: Collection<DeliveryDoc>) => ({
  /** Requests one more attempt. Returns null if the delivery does not exist or waits for its first attempt. */
  redeliver: (webhookId: number, id: number, now: Date): Promise<DeliveryDoc | null> =>
    deliveries.findOneAndUpdate(
      { _id: id, webhookId, $or: [{ status: { $ne: Delivery_Status.pending } }, { attemptCount: { $gt: 0 } }] },
      requestAttempt(now),
      { returnDocument: "after" },
    ),

  /** Counts up to a limit, because a log may be long. */
  async countUndelivered(webhookId: number, since: Date): Promise<DeliveryCount> {
    const filter = undelivered({ webhookId, createdAt: { $gte: since } });
    const count = await deliveries.countDocuments(filter, { limit: maxCounted });
    return { count, atLeast: count === maxCounted };
  },

  /**
   * Makes the next failed and cancelled deliveries after a position due, as replayed events are: no retry or test waits for all
   * of them. Without `last` there are no more.
   */
  async redeliverFailed(webhookId: number, { since, id }: LogPosition): Promise<{ count: number; last?: LogPosition }> {
    const later = [{ createdAt: { $gt: since } }, { createdAt: since, _id: { $gt: id } }];
    const found = await deliveries
      .find(undelivered({ webhookId, $or: later }), { projection: { createdAt: 1 } })
      .sort({ createdAt: 1, _id: 1 })
      .limit(maxRedelivered)
      .toArray();
    const ids = found.map(({ _id }) => _id);
    const still = { _id: { $in: ids }, status: { $in: undeliveredStatuses } };
    const { modifiedCount: count } = await deliveries.updateMany(still, requestAttempt(dueAfterFirst));
    const end = found.at(-1);
    return { count, last: found.length < maxRedelivered ? undefined : { since: end!.createdAt!, id: end!._id } };
  },
});
