import { openMongo } from "@ci/kit/mongo/mongo";
import { createLog } from "@ci/kit/process/log";
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

/** Returns what a process has that begins on a database of its own with these deliveries. */
async function aProcess(name: string, docs: readonly DeliveryDoc[]) {
  const mongo = await openMongo(names.mongoUrl, `${names.mongoDb}_${name}`);
  const { db } = mongo;
  const deliveries = db.collection<DeliveryDoc>("deliveries");
  const webhooks = db.collection<WebhookDoc>("webhooks");
  await deliveries.insertMany(docs);
  const heartbeat = await startHeartbeat(senderStore(db.collection<Sender>("senders")), 600_000, () => {});
  const stores = {
    webhooks: webhookStore(db, webhooks, limitOf("Webhooks", "user")),
    deliveries: deliveryStore(deliveries),
  };
  return {
    deliveries,
    webhooks,
    holder: heartbeat.holder,
    /** Returns the writes, with stores that may differ. */
    writesWith: (changes: (real: typeof stores) => Partial<typeof stores> = () => ({})) =>
      batchedWrites({ ...stores, ...changes(stores), heartbeat, log: createLog("webhooks", "silent") }),
    async [Symbol.asyncDispose]() {
      await heartbeat[Symbol.asyncDispose]();
      await mongo[Symbol.asyncDispose]();
    },
  };
}

test.each(["claimed", "released"] as const)("a lane is %s after its attempts are written", async (what) => {
  await using process = await aProcess(what, [pending]);
  const { deliveries } = process;
  const writes = process.writesWith();
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

test("an attempt whose response cannot be stored is recorded without it, and the others of its batch with theirs", async () => {
  const other = { ...pending, _id: 8, webhookId: 2 };
  await using process = await aProcess("unstorable", [pending, other]);
  const { recordAttempt } = process.writesWith();
  const failed = { status: Delivery_Status.failed, attempt: { ...attempt, code: 410 }, headers: {} };
  const response = { code: 410, headers: { _bsontype: "Long" }, body: "", truncated: false };
  const health = { lastResponse: attempt, revision: 1 };
  const write = (delivery: DeliveryDoc, headers: Record<string, string>) => {
    const record = { ...failed, response: { ...response, headers } };
    return recordAttempt({ webhookId: delivery.webhookId, delivery, record, health, urgent: false });
  };
  await Promise.all([write(pending, { _bsontype: "Long" }), write(other, { "x-a": "b" })]);
  const recorded = { status: "failed", attemptCount: 1, attempts: [{ code: 410 }] };
  const found = await process.deliveries.find({ _id: { $in: [7, 8] } }).toArray();
  expect(found).toMatchObject([recorded, { ...recorded, response: { headers: { "x-a": "b" } } }]);
  expect(found.map((doc) => doc.dueAt ?? doc._id)).toEqual([7, 8]);
  expect(found[0]).not.toHaveProperty("response");
});
