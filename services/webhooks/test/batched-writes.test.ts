import { openMongo } from "@ci/kit/mongo/mongo";
import { Delivery_Status } from "@ci/proto/webhooks/v1/webhooks";
import { limitOf } from "@ci/testkit/quotas";
import { suite } from "@ci/testkit/suite";
import { batchedWrites } from "../src/delivery/batched-writes.js";
import { startHeartbeat } from "../src/delivery/heartbeat.js";
import { deliveryStore } from "../src/store/deliveries.js";
import { type DeliveryDoc, dueImmediately } from "../src/store/delivery-doc.js";
import { type Sender, senderStore } from "../src/store/senders.js";
import type { WebhookDoc } from "../src/store/webhook-doc.js";
import { webhookStore } from "../src/store/webhooks.js";

const names = suite();

const pending = {
  _id: 7,
  webhookId: 1,
  status: Delivery_Status.pending,
  dueAt: dueImmediately,
  attempts: [],
  attemptCount: 0,
  asked: 0,
} as unknown as DeliveryDoc;

const attempt = { number: 1, redelivery: false, code: 200, durationNs: 1, error: undefined, createdAt: new Date() };

test.each(["claimed", "released"] as const)("a lane is %s after its attempts are written", async (what) => {
  await using mongo = await openMongo(names.mongoUrl, `${names.mongoDb}_${what}`);
  const { db } = mongo;
  const deliveries = db.collection<DeliveryDoc>("deliveries");
  const webhooks = db.collection<WebhookDoc>("webhooks");
  await deliveries.insertOne(pending);
  await using heartbeat = await startHeartbeat(senderStore(db.collection<Sender>("senders")), 600_000, () => {});
  const stores = {
    webhooks: webhookStore(db, webhooks, limitOf("Webhooks", "user")),
    deliveries: deliveryStore(deliveries),
  };
  const writes = batchedWrites({ ...stores, heartbeat });
  const steps: string[] = [];
  const record = { status: Delivery_Status.delivered, attempt, headers: {} };
  const health = { lastResponse: attempt, revision: 1 };
  const recorded = writes.recordAttempt({ webhookId: 1, delivery: pending, record, health, urgent: false });
  await Promise.all([
    recorded.then(() => steps.push("written")),
    (what === "claimed" ? writes.claimLane(1) : writes.releaseLanes([1])).then(() => steps.push(what)),
  ]);
  expect(steps).toEqual(["written", what]);
  expect(await deliveries.findOne({ _id: 7 })).toMatchObject({ status: Delivery_Status.delivered, attemptCount: 1 });
});
