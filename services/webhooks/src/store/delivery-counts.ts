import { listTime, refuseSlow } from "@ci/kit/mongo/list-time";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { type CountDeliveriesResponse, Delivery_Status, type DeliveryCount } from "@ci/proto/webhooks/v1/webhooks";
import type { Collection, Filter } from "mongodb";
import { type DeliveryDoc, dueImmediately } from "./delivery-doc.js";

const maxKeys = fixedLimit({
  max: 10_000,
  about: "pending or delivered deliveries that a count of a webhook's log counts",
  effect: "the count says that there may be more",
});
const maxRead = fixedLimit({
  max: 1_000,
  about: "failed, cancelled or test deliveries that a count of a webhook's log counts",
  effect:
    "the count says that there may be more; without a count of the delivered ones if they failed or were cancelled",
});

export const deliveryCounts = (deliveries: Collection<DeliveryDoc>) => {
  const count = async (filter: Filter<DeliveryDoc>, limit: number): Promise<DeliveryCount> => {
    const found = await deliveries.countDocuments(filter, { ...listTime, limit });
    return { count: found, atLeast: found === limit };
  };

  /**
   * Counts those that have no other status. No index knows the status `delivered`, because it would cost each delivery a
   * write, so it is unknown how many there are if there are too many others.
   */
  async function delivered(webhookId: number, others: readonly DeliveryCount[]): Promise<DeliveryCount | undefined> {
    if (others.some(({ atLeast }) => atLeast)) return undefined;
    const known = others.reduce((sum, other) => sum + other.count, 0);
    const all = await count({ webhookId }, known + maxKeys);
    return { ...all, count: Math.max(0, all.count - known) };
  }

  return {
    /** Counts the deliveries in a webhook's log by status, each up to a limit. */
    async counts(webhookId: number): Promise<CountDeliveriesResponse> {
      const oldest = deliveries.find({ webhookId }, { ...listTime, projection: { createdAt: 1 } }).sort({ _id: 1 });
      const others = await Promise.all([
        count({ webhookId, dueAt: { $gte: dueImmediately } }, maxKeys),
        count({ webhookId, status: Delivery_Status.failed }, maxRead),
        count({ webhookId, status: Delivery_Status.cancelled }, maxRead),
      ]).catch(refuseSlow);
      const [pending, failed, cancelled] = others;
      const [[first], all, tests] = await Promise.all([
        oldest.limit(1).toArray(),
        delivered(webhookId, others),
        count({ webhookId, test: true }, maxRead),
      ]).catch(refuseSlow);
      return { since: first?.createdAt, pending, delivered: all, failed, cancelled, tests };
    },
  };
};
