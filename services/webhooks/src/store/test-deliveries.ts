import { fixedLimit } from "@ci/kit/process/fixed-limit";
import type { Collection } from "mongodb";
import type { DeliveryDoc } from "./delivery-doc.js";
import { requestAttempt } from "./redeliveries.js";

const maxTests = fixedLimit({
  max: 100,
  about: "tests of a webhook in its log, besides those that wait",
  effect: "the oldest are deleted",
});

export const testDeliveries = (deliveries: Collection<DeliveryDoc>) => ({
  /** Requests another attempt of a test that waits. Returns null if none of this event does. */
  repeatTest: (webhookId: number, event: string, now: Date): Promise<DeliveryDoc | null> =>
    deliveries.findOneAndUpdate({ webhookId, event, test: true, dueAt: { $exists: true } }, requestAttempt(now), {
      returnDocument: "after",
    }),

  /** Stores a test, and deletes the oldest if there are too many. */
  async insertTest(doc: DeliveryDoc): Promise<void> {
    await deliveries.insertOne(doc);
    const sent = { webhookId: doc.webhookId, test: true as const, dueAt: { $exists: false } };
    const beyond = deliveries
      .find(sent, { projection: { _id: 1 } })
      .sort({ _id: -1 })
      .skip(maxTests);
    const [newest] = await beyond.limit(1).toArray();
    if (newest) await deliveries.deleteMany({ ...sent, _id: { $lte: newest._id } });
  },
});
