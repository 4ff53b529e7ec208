import { onlyRefusedBy, page } from "@ci/kit/mongo/mongo";
import type { PageInfo } from "@ci/proto/common/v1/page";
import { type Delivery, Delivery_Status } from "@ci/proto/webhooks/v1/webhooks";
import type { Collection } from "mongodb";
import { attemptWrites } from "./delivery-attempts.js";
import { type DeliveryDoc, dueImmediately, oncePerEventIndex, toDelivery } from "./delivery-doc.js";
import { dueQueries } from "./due-deliveries.js";
import { redeliveryWrites } from "./redeliveries.js";

const maxRemoved = 1_000;

export type Deliveries = ReturnType<typeof deliveryStore>;

export const deliveryStore = (deliveries: Collection<DeliveryDoc>) => ({
  ...logQueries(deliveries),
  ...dueQueries(deliveries),
  ...attemptWrites(deliveries),
  ...redeliveryWrites(deliveries),
  ...removals(deliveries),
});

const logQueries = (deliveries: Collection<DeliveryDoc>) => ({
  /** Returns whether all events were new. */
  async insert(docs: readonly DeliveryDoc[]): Promise<boolean> {
    try {
      await deliveries.insertMany(docs, { ordered: false });
      return true;
    } catch (error) {
      if (!onlyRefusedBy(oncePerEventIndex, error)) throw error;
      return false;
    }
  },

  get: (webhookId: number, id: number) => deliveries.findOne({ _id: id, webhookId }),

  /** Returns a page, newest first. Each delivery has its last attempt, but no request and response. */
  async list(webhookId: number, number: number | undefined): Promise<{ items: Delivery[]; page: PageInfo }> {
    const short = { request: 0, response: 0, attempts: { $slice: -1 } };
    const found = deliveries.find({ webhookId }, { projection: short }).sort({ _id: -1 });
    const { items, page: info } = await page(found, number, () => deliveries.countDocuments({ webhookId }));
    return { items: items.map(toDelivery), page: info };
  },
});

const removals = (deliveries: Collection<DeliveryDoc>) => ({
  /** Cancels pending first attempts and retries. Requested redeliveries and farewells are still sent. */
  async cancel(webhookId: number): Promise<void> {
    await deliveries.updateMany(
      { webhookId, dueAt: { $gte: dueImmediately }, redelivery: false, farewell: { $exists: false } },
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

  async removeOf(webhookId: number): Promise<void> {
    await deliveries.deleteMany({ webhookId });
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
