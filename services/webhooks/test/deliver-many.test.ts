import { setTimeout as delay } from "node:timers/promises";
import type { Webhook } from "@ci/proto/webhooks/v1/webhooks";
import { eventually } from "@ci/testkit/eventually";
import { type Received, receiver } from "@ci/testkit/receiver";
import { MongoClient } from "mongodb";
import type { DeliveryDoc } from "../src/store/delivery-doc.js";
import { aBuild, bootWebhooks } from "./_suite.js";

// Hundreds of requests one after the other: who gets on is not given up, however slow the machine.
jest.setTimeout(900_000);

const ci = bootWebhooks({ patchWaitMs: 0, pausesMs: [3_600_000] });

const upTo = (last: number) => Array.from({ length: last }, (_, nth) => nth + 1);
const numberOf = ({ body }: Received): number => JSON.parse(body.toString()).number;
/** The bus takes them in the order in which they are given to it. */
const submitAll = ({ namespaceId }: Webhook, numbers: readonly number[]) =>
  Promise.all(numbers.map((number) => ci.publishBuild("build.submitted", aBuild(namespaceId, { number }))));

/** What the log holds of a webhook, in order, once nothing of it waits for its first attempt. */
async function written({ id: webhookId }: Webhook, count: number): Promise<DeliveryDoc[]> {
  await using mongo = new MongoClient(ci.names.mongoUrl);
  const deliveries = mongo.db(ci.config.mongoDb).collection<DeliveryDoc>("deliveries");
  let made = 0;
  const whole = async () => {
    const found = await deliveries.find({ webhookId }).sort({ _id: 1 }).toArray();
    made = found.filter(({ attemptCount, status }) => attemptCount > 0 || status === "cancelled").length;
    expect(made).toBe(count);
    return found;
  };
  return await eventually(whole, { progress: () => made });
}

test("a burst arrives once each, in order, and all of it is written down", async () => {
  await using to = await receiver({ answer: () => ({ status: to.requests.length % 50 === 7 ? 500 : 200 }) });
  const webhook = await ci.aWebhook(await ci.aNamespace(), to.url);
  await submitAll(webhook, upTo(200));
  const log = await written(webhook, 200);
  expect(to.requests.map(numberOf)).toEqual(upTo(200));
  const expected = upTo(200).map((number) => [number % 50 === 7 ? "pending" : "delivered", 1, 1]);
  expect(log.map(({ status, attemptCount, attempts }) => [status, attemptCount, attempts.length])).toEqual(expected);
  const { number, redelivery, ...last } = log.at(-1)!.attempts[0]!;
  await eventually(async () => expect((await ci.read(webhook)).lastResponse).toEqual(last));
});

/** A receiver that takes its time, and waits before the last ones: so the change comes into the middle of a burst. */
function slowly() {
  let goOn = () => {};
  const changed = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const answer = async (request: Received) => {
    await (numberOf(request) > 140 ? changed : delay(5));
    return { status: 200 };
  };
  return { answer, goOn };
}

test("after a change was answered nothing begins that goes to the old address", async () => {
  const { answer, goOn } = slowly();
  await using to = await receiver({ answer });
  const webhook = await ci.aWebhook(await ci.aNamespace(), `${to.url}/old`);
  await submitAll(webhook, upTo(150));
  await eventually(() => expect(to.requests.length).toBeGreaterThan(10));
  const ask = { namespaceId: webhook.namespaceId, id: webhook.id, removeSecret: false, payloadUrl: `${to.url}/new` };
  await ci.as(ci.users.bob, () => ci.webhooks.updateWebhook(ask));
  const toOld = () => to.requests.filter(({ path }) => path === "/old").length;
  const told = toOld();
  goOn();
  await written(webhook, 150);
  expect(to.requests.map(numberOf)).toEqual(upTo(150));
  // One may have been on its way.
  expect(toOld()).toBeLessThanOrEqual(told + 1);
  expect(told).toBeLessThan(150);
});

test("after a webhook was switched off nothing begins, and every delivery says what became of it", async () => {
  const { answer, goOn } = slowly();
  await using to = await receiver({ answer });
  const webhook = await ci.aWebhook(await ci.aNamespace(), to.url);
  await submitAll(webhook, upTo(150));
  await eventually(() => expect(to.requests.length).toBeGreaterThan(10));
  const ask = { namespaceId: webhook.namespaceId, id: webhook.id, removeSecret: false, active: false };
  await ci.as(ci.users.bob, () => ci.webhooks.updateWebhook(ask));
  const told = to.requests.length;
  goOn();
  await eventually(async () => {
    const arrived = new Set(to.requests.map(numberOf));
    const log = await written(webhook, 150);
    expect(log.map(({ request, status }) => [JSON.parse(request.payload).number, status])).toEqual(
      upTo(150).map((number) => [number, arrived.has(number) ? "delivered" : "cancelled"]),
    );
  });
  // One may have been on its way.
  expect(to.requests.length).toBeLessThanOrEqual(told + 1);
  expect(told).toBeLessThan(150);
});
