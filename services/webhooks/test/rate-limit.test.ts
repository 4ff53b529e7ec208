import type { Delivery, Webhook } from "@ci/proto/webhooks/v1/webhooks";
import { eventually } from "@ci/testkit/eventually";
import { receiver } from "@ci/testkit/receiver";
import type { WebhookDoc } from "../src/store/webhook-doc.js";
import { aBuild, bootWebhooks } from "./_suite.js";

const ci = bootWebhooks();

const limit = ({ namespaceId, id }: Webhook, perSecond?: number, user = ci.users.bob) =>
  ci.as(user, () => ci.webhooks.setRateLimit({ namespaceId, id, perSecond }));
const read = ({ namespaceId, id }: Webhook, user = ci.users.bob) =>
  ci.as(user, () => ci.webhooks.getRateLimit({ namespaceId, id }));
const publish = async ({ namespaceId }: Webhook, count: number) => {
  for (let number = 1; number <= count; number++)
    await ci.publishBuild("build.submitted", aBuild(namespaceId, { id: number, number }));
};

/** Returns from the first to the last attempt of all deliveries. */
const tookMs = (deliveries: readonly Delivery[]): number => {
  const times = deliveries.flatMap(({ attempts }) => attempts.map(({ createdAt }) => createdAt!.getTime()));
  return Math.max(...times) - Math.min(...times);
};

test("a limited webhook receives in order, at its pace", async () => {
  await using inbox = await receiver();
  const webhook = await ci.aWebhook(await ci.aNamespace(), inbox.url);
  expect(await limit(webhook, 10)).toEqual({ perSecond: 10 });
  await publish(webhook, 12);
  expect(tookMs(await ci.settled(webhook, 12))).toBeGreaterThan(990);
  const numbers = inbox.requests.map(({ body }) => JSON.parse(body.toString()).number);
  expect(numbers).toEqual(Array.from({ length: 12 }, (_, nth) => nth + 1));
});

test("retries, redeliveries and tests count", async () => {
  let status = 500;
  await using inbox = await receiver({ answer: () => ({ status }) });
  const webhook = await ci.aWebhook(await ci.aNamespace(), inbox.url);
  const ref = { namespaceId: webhook.namespaceId, webhookId: webhook.id };
  await limit(webhook, 1);
  await publish(webhook, 1);
  await eventually(() => expect(inbox.requests).toHaveLength(1));
  status = 200;
  const [first] = await ci.settled(webhook, 1);
  await ci.as(ci.users.bob, () => ci.webhooks.redeliver({ ...ref, id: first!.id }));
  await ci.as(ci.users.bob, () => ci.webhooks.testWebhook({ ...ref, event: "cron" }));
  const all = await ci.settled(webhook, 2);
  expect(all.map(({ attemptCount }) => attemptCount)).toEqual([3, 1]);
  expect(tookMs(all)).toBeGreaterThan(2_890);
});

test("a restart keeps the pace", async () => {
  await using inbox = await receiver();
  const webhook = await ci.aWebhook(await ci.aNamespace(), inbox.url);
  await limit(webhook, 1);
  await publish(webhook, 2);
  await eventually(() => expect(inbox.requests).toHaveLength(1));
  await ci.restart();
  expect(tookMs(await ci.settled(webhook, 2))).toBeGreaterThan(990);
});

test("a backlog of first attempts does not hold back a test", async () => {
  await using inbox = await receiver();
  const webhook = await ci.aWebhook(await ci.aNamespace(), inbox.url);
  await publish(webhook, 1);
  await eventually(() => expect(inbox.requests).toHaveLength(1));
  await limit(webhook, 20);
  await publish(webhook, 300);
  await eventually(() => expect(inbox.requests.length).toBeGreaterThan(5));
  const ref = { namespaceId: webhook.namespaceId, webhookId: webhook.id };
  await ci.as(ci.users.bob, () => ci.webhooks.testWebhook({ ...ref, event: "cron" }));
  const before = inbox.requests.length;
  const tested = () => inbox.requests.findIndex(({ headers }) => headers["x-service-ci-test"] !== undefined);
  await eventually(() => expect(tested()).toBeGreaterThan(0));
  expect(tested() - before).toBeLessThan(200);
});

test("0 removes the limit, and what waits is sent", async () => {
  await using inbox = await receiver();
  const webhook = await ci.aWebhook(await ci.aNamespace(), inbox.url);
  await limit(webhook, 1);
  expect(await read(webhook)).toEqual({ perSecond: 1 });
  await publish(webhook, 100);
  await limit(webhook, 0);
  expect(await read(webhook)).toEqual({ perSecond: 0 });
  await eventually(() => expect(inbox.requests).toHaveLength(100));
  const stored = await ci.db.collection<WebhookDoc>("webhooks").findOne({ _id: webhook.id });
  expect(stored).not.toHaveProperty("rateLimit");
});

test.each([
  [undefined, "Per_second field required"],
  [-1, "Per_second must be a whole number from 0 to 1000"],
  [1.5, "Per_second must be a whole number from 0 to 1000"],
  [1_001, "Per_second must be a whole number from 0 to 1000"],
])("%p is no limit", async (perSecond, message) => {
  const webhook = await ci.aWebhook(await ci.aNamespace(), "http://example.com/in");
  await expect(limit(webhook, perSecond)).rejects.toMatchObject({ fields: { per_second: [message] } });
});

test("outsiders have no access", async () => {
  const webhook = await ci.aWebhook(await ci.aNamespace(), "http://example.com/in");
  for (const call of [() => limit(webhook, 1, ci.users.eve), () => read(webhook, ci.users.eve)])
    await expect(call()).rejects.toMatchObject({ code: "not_found" });
});

test("what waits for the pace of its webhook is not late", async () => {
  await using inbox = await receiver();
  await using broken = await receiver({ answer: () => new Promise(() => {}) });
  const webhook = await ci.aWebhook(await ci.aNamespace(), inbox.url);
  const lagOf = async () => {
    const text = await (await fetch(`http://127.0.0.1:${ci.service.adminPort}/metrics`)).text();
    return Number(/^ci_delivery_lag_seconds (.+)$/m.exec(text)![1]);
  };
  await limit(webhook, 1);
  await publish(webhook, 60);
  await eventually(async () => expect((await ci.read(webhook)).lastResponse).toBeDefined());
  ci.advanceClock(600_000);
  expect(await lagOf()).toBe(0);
  const unlimited = await ci.aWebhook(await ci.aNamespace(), broken.url);
  await publish(unlimited, 1);
  await eventually(() => expect(broken.requests).toHaveLength(1));
  ci.advanceClock(600_000);
  expect(await lagOf()).toBeGreaterThanOrEqual(600);
  const webhooks = ci.db.collection<WebhookDoc>("webhooks");
  const paced = { rateLimit: { $gt: 0 }, "lastResponse.createdAt": { $gte: new Date(0) } };
  const { executionStats } = await webhooks.find(paced).explain("executionStats");
  expect(executionStats.totalDocsExamined).toBe(executionStats.nReturned);
});
