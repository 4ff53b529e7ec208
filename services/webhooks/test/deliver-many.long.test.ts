import { setTimeout as delay } from "node:timers/promises";
import type { Webhook } from "@ci/proto/webhooks/v1/webhooks";
import { eventually } from "@ci/testkit/eventually";
import { type Received, receiver } from "@ci/testkit/receiver";
import { MongoClient } from "mongodb";
import type { DeliveryDoc } from "../src/store/delivery-doc.js";
import { aBuild, bootWebhooks } from "./_suite.js";

// Sends hundreds of requests one after another, which takes long on a slow machine.
jest.setTimeout(900_000);

const ci = bootWebhooks({ patchWaitMs: 0, pausesMs: [3_600_000] });

const upTo = (last: number) => Array.from({ length: last }, (_, nth) => nth + 1);
const numberOf = ({ body }: Received): number => JSON.parse(body.toString()).number;
/** Publishes in order, because the bus keeps the order of the calls. */
const submitAll = ({ namespaceId }: Webhook, numbers: readonly number[]) =>
  Promise.all(numbers.map((number) => ci.publishBuild("build.submitted", aBuild(namespaceId, { number }))));

/** Returns a webhook's log in order, once each delivery has been attempted or cancelled. */
async function settledLog({ id: webhookId }: Webhook, count: number): Promise<DeliveryDoc[]> {
  await using mongo = new MongoClient(ci.names.mongoUrl);
  const deliveries = mongo.db(ci.config.mongoDb).collection<DeliveryDoc>("deliveries");
  let settledCount = 0;
  const readLog = async () => {
    const found = await deliveries.find({ webhookId }).sort({ _id: 1 }).toArray();
    settledCount = found.filter(({ attemptCount, status }) => attemptCount > 0 || status === "cancelled").length;
    expect(settledCount).toBe(count);
    return found;
  };
  return await eventually(readLog, { progress: () => settledCount });
}

test("a burst arrives in order, each event once, and every attempt is recorded", async () => {
  await using inbox = await receiver({ answer: () => ({ status: inbox.requests.length % 50 === 7 ? 500 : 200 }) });
  const webhook = await ci.aWebhook(await ci.aNamespace(), inbox.url);
  await submitAll(webhook, upTo(200));
  const log = await settledLog(webhook, 200);
  expect(inbox.requests.map(numberOf)).toEqual(upTo(200));
  const expected = upTo(200).map((number) => [number % 50 === 7 ? "pending" : "delivered", 1, 1]);
  expect(log.map(({ status, attemptCount, attempts }) => [status, attemptCount, attempts.length])).toEqual(expected);
  const { number, redelivery, ...last } = log.at(-1)!.attempts[0]!;
  await eventually(async () => expect((await ci.read(webhook)).lastResponse).toEqual(last));
});

/** Returns a slow receiver that stalls the last requests until `release`, so that a change happens amid a burst. */
function slowReceiver() {
  let release = () => {};
  const changed = new Promise<void>((resolve) => {
    release = resolve;
  });
  const answer = async (request: Received) => {
    await (numberOf(request) > 140 ? changed : delay(5));
    return { status: 200 };
  };
  return { answer, release };
}

test("no attempt to the old address begins after a change was confirmed", async () => {
  const { answer, release } = slowReceiver();
  await using inbox = await receiver({ answer });
  const webhook = await ci.aWebhook(await ci.aNamespace(), `${inbox.url}/old`);
  await submitAll(webhook, upTo(150));
  await eventually(() => expect(inbox.requests.length).toBeGreaterThan(10));
  const request = {
    namespaceId: webhook.namespaceId,
    id: webhook.id,
    removeSecret: false,
    payloadUrl: `${inbox.url}/new`,
  };
  await ci.as(ci.users.bob, () => ci.webhooks.updateWebhook(request));
  const toOld = () => inbox.requests.filter(({ path }) => path === "/old").length;
  const sentBefore = toOld();
  release();
  await settledLog(webhook, 150);
  expect(inbox.requests.map(numberOf)).toEqual(upTo(150));
  // One request may have been on its way.
  expect(toOld()).toBeLessThanOrEqual(sentBefore + 1);
  expect(sentBefore).toBeLessThan(150);
});

test("no attempt begins after a deactivation was confirmed, and every delivery has a final status", async () => {
  const { answer, release } = slowReceiver();
  await using inbox = await receiver({ answer });
  const webhook = await ci.aWebhook(await ci.aNamespace(), inbox.url);
  await submitAll(webhook, upTo(150));
  await eventually(() => expect(inbox.requests.length).toBeGreaterThan(10));
  const request = { namespaceId: webhook.namespaceId, id: webhook.id, removeSecret: false, active: false };
  await ci.as(ci.users.bob, () => ci.webhooks.updateWebhook(request));
  const sentBefore = inbox.requests.length;
  release();
  await eventually(async () => {
    const arrived = new Set(inbox.requests.map(numberOf));
    const log = await settledLog(webhook, 150);
    expect(log.map(({ request, status }) => [JSON.parse(request!.payload).number, status])).toEqual(
      upTo(150).map((number) => [number, arrived.has(number) ? "delivered" : "cancelled"]),
    );
  });
  // One request may have been on its way.
  expect(inbox.requests.length).toBeLessThanOrEqual(sentBefore + 1);
  expect(sentBefore).toBeLessThan(150);
});
