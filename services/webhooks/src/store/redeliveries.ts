import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { Delivery_Status } from "@ci/proto/webhooks/v1/webhooks";
import type { Collection } from "mongodb";
import type { DeliveryDoc } from "./delivery-doc.js";
import type { LogPosition } from "./webhook-doc.js";

const maxRedelivered = fixedLimit({
  max: 200,
  about: "failed deliveries that are requested again in one step",
  effect: "the rest follows in further steps",
});

const requestAttempt = (now: Date) =>
  ({
    $set: { status: Delivery_Status.pending, redelivery: true, dueAt: now },
    $unset: { nextAttemptAt: "" },
    $inc: { asked: 1 },
  }) as const;

export const redeliveryWrites = (deliveries: Collection<DeliveryDoc>) => ({
  /** Requests one more attempt. Returns null if the delivery does not exist or waits for its first attempt. */
  redeliver: (webhookId: number, id: number, now: Date): Promise<DeliveryDoc | null> =>
    deliveries.findOneAndUpdate(
      { _id: id, webhookId, $or: [{ status: { $ne: Delivery_Status.pending } }, { attemptCount: { $gt: 0 } }] },
      requestAttempt(now),
      { returnDocument: "after" },
    ),

  countFailed: (webhookId: number, since: Date): Promise<number> =>
    deliveries.countDocuments({ webhookId, status: Delivery_Status.failed, createdAt: { $gte: since } }),

  /** Makes the next failed deliveries after a position due. Without `last` there are no more. */
  async redeliverFailed(
    webhookId: number,
    { since, id }: LogPosition,
    now: Date,
  ): Promise<{ count: number; last?: LogPosition }> {
    const status = Delivery_Status.failed;
    const later = [{ createdAt: { $gt: since } }, { createdAt: since, _id: { $gt: id } }];
    const failed = await deliveries
      .find({ webhookId, status, $or: later }, { projection: { createdAt: 1 } })
      .sort({ createdAt: 1, _id: 1 })
      .limit(maxRedelivered)
      .toArray();
    const ids = failed.map(({ _id }) => _id);
    const { modifiedCount: count } = await deliveries.updateMany({ _id: { $in: ids }, status }, requestAttempt(now));
    const end = failed.at(-1);
    return { count, last: failed.length < maxRedelivered ? undefined : { since: end!.createdAt!, id: end!._id } };
  },
});
