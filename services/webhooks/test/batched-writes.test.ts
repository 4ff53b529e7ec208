import { openMongo } from "@ci/kit/mongo/mongo";
import { createLog } from "@ci/kit/process/log";
import { Delivery_Status } from "@ci/proto/webhooks/v1/webhooks";
import { testKeyring } from "@ci/testkit/accounts";
import { limitOf } from "@ci/testkit/quotas";
import { suite } from "@ci/testkit/suite";
import type { Context } from "../src/context.js";
import { type BatchedWrites, batchedWrites } from "../src/delivery/batched-writes.js";
import { startHeartbeat } from "../src/delivery/heartbeat.js";
import { idleLanes } from "../src/delivery/idle-lanes.js";
import { payloadTurns } from "../src/delivery/payload-turns.js";
import { recentDeliveries } from "../src/delivery/recent-deliveries.js";
import { runLane } from "../src/delivery/run-lane.js";
import { seenWebhooks } from "../src/delivery/seen-webhooks.js";
import { sharedPayloads } from "../src/delivery/shared-payloads.js";
import { deliveryStore } from "../src/store/deliveries.js";
import { type DeliveryDoc, dueImmediately } from "../src/store/delivery-doc.js";
import { makeIndexes } from "../src/store/indexes.js";
import { type PayloadDoc, payloadStore } from "../src/store/payloads.js";
import { type Sender, senderStore } from "../src/store/senders.js";
import type { WebhookDoc } from "../src/store/webhook-doc.js";
import { webhookStore } from "../src/store/webhooks.js";

const names = suite();
const day = 86_400_000;

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
  const senders = db.collection<Sender>("senders");
  const heartbeat = await startHeartbeat(senderStore(senders), 600_000, () => {});
  const stores = {
    webhooks: webhookStore(db, webhooks, limitOf("Webhooks", "user")),
    deliveries: deliveryStore(deliveries),
  };
  const log = createLog("webhooks", "silent");
  type Changes = (real: typeof stores) => Partial<typeof stores>;
  const writesWith = (changes: Changes = () => ({})) =>
    batchedWrites({ ...stores, ...changes(stores), heartbeat, log });
  return {
    deliveries,
    webhooks,
    senders,
    holder: heartbeat.holder,
    writesWith,
    /** Returns what lanes need, with these writes and with receivers that answer so. */
    contextWith: (writes: BatchedWrites, post: Context["post"]) =>
      ({
        ...{ ...stores, heartbeat, log, writes, post },
        config: { keyring: testKeyring, headerPrefix: "X", pausesMs: [], deactivateAfterMs: 5 * day },
        now: () => new Date(),
        recent: recentDeliveries(),
        seen: seenWebhooks(),
        idleLanes: idleLanes(),
        payloadTurns: payloadTurns(),
        sharedPayloads: sharedPayloads(payloadStore(db.collection<PayloadDoc>("payloads"))),
      }) as unknown as Context,
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

const failure = { ...attempt, code: 500, error: "unexpected status 500" };
const lastMonth = new Date(Date.now() - 30 * day);
const killed = () => Promise.reject(new Error("killed"));

/** Returns a webhook whose lane a process holds. */
const heldBy = (holder: string, changes: Partial<WebhookDoc> = {}) =>
  ({ _id: 1, userId: 1, namespaceId: 1, revision: 1, active: true, lane: { holder }, ...changes }) as WebhookDoc;

test("a success after failures is noted at the webhook, also if the process dies before the attempt is written", async () => {
  await using process = await aProcess("recovered", [pending]);
  const { deliveries, webhooks, holder } = process;
  await webhooks.insertOne(heldBy(holder, { failingSince: lastMonth, lastResponse: failure }));
  const writes = process.writesWith((real) => ({ deliveries: { ...real.deliveries, recordAttempts: killed } }));
  const record = { status: Delivery_Status.delivered, attempt, headers: {} };
  const health = { lastResponse: attempt, revision: 1 };
  const write = { webhookId: 1, delivery: pending, record, health, urgent: true };
  await expect(writes.recordAttempt(write)).rejects.toThrow("killed");
  const webhook = await webhooks.findOne({ _id: 1 });
  expect([webhook!.lastResponse!.code, webhook!.failingSince]).toEqual([200, undefined]);
  // So it is repeated.
  expect(await deliveries.findOne({ _id: 7 })).toMatchObject({ status: Delivery_Status.pending, attemptCount: 0 });
});

test("health that could not be written is written later, unless the webhook has newer health", async () => {
  const other = { ...pending, _id: 8, webhookId: 2 };
  const next = { ...pending, _id: 9 };
  await using process = await aProcess("restored", [pending, other, next]);
  const { webhooks, holder } = process;
  await webhooks.insertMany([heldBy(holder), heldBy(holder, { _id: 2 })]);
  let fail = () => {};
  const failed = new Promise<never>((_, reject) => {
    fail = () => reject(new Error("killed"));
  });
  let written = 0;
  const writes = process.writesWith((real) => ({
    webhooks: {
      ...real.webhooks,
      updateLanes: (...args) => (++written === 1 ? failed : real.webhooks.updateLanes(...args)),
    },
  }));
  const record = { status: Delivery_Status.delivered, attempt, headers: {} };
  const write = (delivery: DeliveryDoc, code: number) => {
    const health = { lastResponse: { ...attempt, code }, revision: 1 };
    return writes.recordAttempt({ webhookId: delivery.webhookId, delivery, record, health, urgent: false });
  };
  await Promise.all([write(pending, 201), write(other, 202)]);
  const flushed = writes.releaseLanes([]);
  await write(next, 203);
  fail();
  await expect(flushed).rejects.toThrow("killed");
  expect(writes.healthInMs(0)).toBeDefined();
  await writes.releaseLanes([]);
  const found = await webhooks.find({ _id: { $in: [1, 2] } }).toArray();
  expect(found.map(({ lastResponse }) => lastResponse?.code)).toEqual([203, 202]);
});

test("a 410 deactivates the webhook, also if the process dies before the attempt is written", async () => {
  const due = { ...pending, request: { headers: {}, payload: "{}" }, createdAt: new Date() };
  await using process = await aProcess("gone", [due]);
  const { deliveries, webhooks, senders, holder } = process;
  await makeIndexes(webhooks, deliveries, senders);
  await webhooks.insertOne(heldBy(holder, { activeSince: lastMonth, secrets: { earlier: [] } } as never));
  const response = { code: 410, headers: {}, body: "", truncated: false };
  const writes = process.writesWith((real) => ({ deliveries: { ...real.deliveries, recordAttempts: killed } }));
  const gone = { response, error: "unexpected status 410", durationNs: 1 };
  const ctx = process.contextWith(writes, async () => gone);
  const { signal } = new AbortController();
  const turn = { reason: "look", isOver: () => false, takeWake: () => undefined, signal } as const;
  await expect(runLane(ctx, { ...turn, webhook: { _id: 1, userId: 1 } })).rejects.toThrow("killed");
  expect(await webhooks.findOne({ _id: 1 })).toMatchObject({
    active: false,
    disabledReason: "gone",
    lastResponse: { code: 410 },
  });
  expect(await deliveries.findOne({ _id: 7 })).toMatchObject({ status: Delivery_Status.pending, attemptCount: 0 });
});
