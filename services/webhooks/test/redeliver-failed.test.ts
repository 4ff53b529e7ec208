import { Delivery_Status, type Webhook } from "@ci/proto/webhooks/v1/webhooks";
import { eventually } from "@ci/testkit/eventually";
import { gate } from "@ci/testkit/gate";
import { type Received, type Receiver, receiver } from "@ci/testkit/receiver";
import { type Document, type Filter, MongoClient } from "mongodb";
import type { Context } from "../src/context.js";
import { redeliverFailed as redeliverAll } from "../src/loops/redeliver-failed.js";
import { deliveryStore } from "../src/store/deliveries.js";
import type { DeliveryDoc } from "../src/store/delivery-doc.js";
import { makeIndexes } from "../src/store/indexes.js";
import type { Sender } from "../src/store/senders.js";
import type { WebhookDoc } from "../src/store/webhook-doc.js";
import { webhookStore } from "../src/store/webhooks.js";
import { aBuild, bootWebhooks } from "./_suite.js";

// Sends hundreds of requests one after another, which takes long on a slow machine.
jest.setTimeout(900_000);
const ci = bootWebhooks({ pausesMs: [] });

const numberOf = ({ body }: Received): number => JSON.parse(body.toString()).number;
const upTo = (last: number) => Array.from({ length: last }, (_, nth) => nth + 1);
const submit = (webhook: Webhook, number: number) =>
  ci.publishBuild("build.submitted", aBuild(webhook.namespaceId, { number }));
const redeliverFailed = ({ namespaceId, id: webhookId }: Webhook, since?: Date, user = ci.users.bob) =>
  ci.as(user, () => ci.webhooks.redeliverFailed({ namespaceId, webhookId, since }));

/** Starts a receiver that fails until `mend` is called, and creates a webhook for it. */
async function failingReceiver() {
  let code = 500;
  const inbox = await receiver({ answer: () => ({ status: code }) });
  const webhook = await ci.aWebhook(await ci.aNamespace(), inbox.url, { secret: "s" });
  const mend = () => {
    code = 200;
  };
  return { inbox, webhook, mend, [Symbol.asyncDispose]: () => inbox[Symbol.asyncDispose]() };
}

/** Returns the distinct numbers after `before` requests. A process that stalls for seconds may send one twice. */
const sentSince = ({ requests }: Receiver, before: number) => [...new Set(requests.slice(before).map(numberOf))];
/** Waits until a number arrives after `before` requests, and returns the number of requests. */
const arrival = (inbox: Receiver, number: number, before = 0) =>
  eventually(
    () => {
      expect(sentSince(inbox, before)).toContain(number);
      return inbox.requests.length;
    },
    { progress: () => inbox.requests.length },
  );

describe("succeeds", () => {
  test("resends all deliveries that failed since a time, in order, and nothing else", async () => {
    await using failing = await failingReceiver();
    const { inbox, webhook, mend } = failing;
    await submit(webhook, 1);
    await ci.settled(webhook, 1);
    ci.advanceClock(60_000);
    const since = ci.now();
    const many = 230;
    for (const number of upTo(many)) await submit(webhook, 1 + number);
    await arrival(inbox, 1 + many);
    mend();
    await submit(webhook, 1_000);
    const before = await arrival(inbox, 1_000);
    await eventually(async () =>
      expect(await redeliverFailed(webhook, new Date(ci.now().getTime() + 1))).toMatchObject({ count: 0 }),
    );
    const failed = { webhookId: webhook.id, eventId: { $gt: "" }, status: Delivery_Status.failed };
    await eventually(async () => expect(await ci.db.collection("deliveries").countDocuments(failed)).toBe(1 + many));
    expect(await redeliverFailed(webhook, since)).toMatchObject({ count: many });
    await arrival(inbox, 1 + many, before);
    expect(sentSince(inbox, before)).toEqual(upTo(many).map((number) => 1 + number));
    await eventually(async () => expect(await redeliverFailed(webhook, since)).toMatchObject({ count: 0 }));
    expect(await redeliverFailed(webhook, new Date(0))).toMatchObject({ count: 1 });
    await eventually(() => expect(inbox.requests.map(numberOf).at(-1)).toBe(1));
  });

  test("makes one attempt each: a delivery that fails again stays failed", async () => {
    await using failing = await failingReceiver();
    const { inbox, webhook } = failing;
    for (const number of [1, 2]) await submit(webhook, number);
    await ci.settled(webhook, 2);
    expect(await redeliverFailed(webhook, new Date(0))).toMatchObject({ count: 2 });
    await eventually(async () =>
      expect((await ci.settled(webhook, 2)).map(({ attemptCount }) => attemptCount)).toEqual([2, 2]),
    );
    const again = (await ci.deliveries(webhook)).map(({ status, attempts }) => [status, attempts[1]!.redelivery]);
    expect(again).toEqual([
      ["failed", true],
      ["failed", true],
    ]);
    expect(inbox.requests.map(numberOf)).toEqual([1, 2, 1, 2]);
  });

  test("resends what a deactivation cancelled, in order with what failed", async () => {
    const under = gate();
    const gone = under.pass().then(() => ({ status: 410 }));
    let isBack = false;
    const inbox = await receiver({ answer: () => (isBack ? { status: 200 } : gone) });
    await using _ = inbox;
    const webhook = await ci.aWebhook(await ci.aNamespace(), inbox.url);
    for (const number of [1, 2, 3]) await submit(webhook, number);
    await eventually(async () => expect(await ci.deliveries(webhook)).toHaveLength(3));
    await arrival(inbox, 1);
    under.open();
    const left = (await ci.settled(webhook, 3)).map(({ status }) => status);
    expect(left).toEqual(["failed", "cancelled", "cancelled"]);
    isBack = true;
    expect(await redeliverFailed(webhook, new Date(0))).toMatchObject({ count: 3 });
    await arrival(inbox, 3);
    expect(inbox.requests.map(numberOf)).toEqual([1, 1, 2, 3]);
    expect((await ci.settled(webhook, 3)).map(({ status }) => status)).toEqual(Array(3).fill("delivered"));
  });

  test("lets new events and tests pass", async () => {
    const under = gate();
    const accepted = under.pass().then(() => ({ status: 200 }));
    let isBack = false;
    await using inbox = await receiver({ answer: () => (isBack ? accepted : { status: 500 }) });
    const webhook = await ci.aWebhook(await ci.aNamespace(), inbox.url);
    for (const number of [1, 2, 3]) await submit(webhook, number);
    await ci.settled(webhook, 3);
    isBack = true;
    await redeliverFailed(webhook, new Date(0));
    await arrival(inbox, 1, 3);
    await submit(webhook, 4);
    const { namespaceId, id: webhookId } = webhook;
    await ci.as(ci.users.bob, () => ci.webhooks.testWebhook({ namespaceId, webhookId, event: "" }));
    await eventually(async () => expect(await ci.deliveries(webhook)).toHaveLength(5));
    under.open();
    await ci.settled(webhook, 5);
    const example = 42;
    expect(sentSince(inbox, 3)).toEqual([1, 4, example, 2, 3]);
  });

  test("continues a request of a process that died", async () => {
    await using failing = await failingReceiver();
    const { inbox, webhook, mend } = failing;
    for (const number of [1, 2, 3]) await submit(webhook, number);
    const [first] = await ci.settled(webhook, 3);
    mend();
    await using mongo = new MongoClient(ci.names.mongoUrl);
    const webhooks = mongo.db(ci.config.mongoDb).collection<{ _id: number }>("webhooks");
    // The dead process has redelivered the first delivery.
    const again = { since: first!.createdAt, id: first!.id };
    await webhooks.updateOne({ _id: webhook.id }, { $set: { again } });
    await eventually(() => expect(sentSince(inbox, 3)).toEqual([2, 3]));
    await eventually(async () =>
      expect(await webhooks.findOne({ _id: webhook.id, again: { $exists: true } })).toBeNull(),
    );
  });
});

test("owners take turns, however many requests one of them has, and each step reads one", async () => {
  await using client = await new MongoClient(ci.names.mongoUrl, { ignoreUndefined: true }).connect();
  const db = client.db(`${ci.names.mongoDb}_turns`);
  const docs = db.collection<WebhookDoc>("webhooks");
  const log = db.collection<DeliveryDoc>("deliveries");
  await makeIndexes(docs, log, db.collection<Sender>("senders"));
  const [ann, bob] = [1, 2];
  const ids = upTo(150);
  const ownerOf = (id: number) => (id === 150 ? bob : ann);
  const createdAt = new Date();
  const requested = (id: number) => ({
    ...{ _id: id, userId: ownerOf(id), namespaceId: ownerOf(id), targetKey: `${id}` },
    again: { since: new Date(id), id: 0 },
  });
  await docs.insertMany(ids.map((id) => requested(id) as WebhookDoc));
  const failed = (id: number) => ({ _id: id, webhookId: id, eventId: "e", status: Delivery_Status.failed, createdAt });
  await log.insertMany(ids.map((id) => failed(id) as DeliveryDoc));
  const webhooks = webhookStore(db, docs, ci.config.webhooksPerUser);
  const woken: number[] = [];
  const lanes = { wake: ({ userId }: { userId: number }) => woken.push(userId) } as unknown as Context["lanes"];
  const waiting = { userId: { $gt: 0 }, "again.since": { $exists: true } } as Filter<WebhookDoc>;
  const { executionStats } = await docs.find(waiting).sort({ userId: 1, _id: 1 }).limit(1).explain("executionStats");
  expect(executionStats.totalDocsExamined).toBe(1);
  expect(await redeliverAll({ deliveries: deliveryStore(log), webhooks, lanes })).toBe(ids.length);
  expect(woken).toEqual([ann, bob, ...Array(148).fill(ann)]);
  expect(await docs.countDocuments(waiting)).toBe(0);
});

test("a step reads no more of the log than it redelivers", async () => {
  await using client = await new MongoClient(ci.names.mongoUrl, {
    ignoreUndefined: true,
    monitorCommands: true,
  }).connect();
  const db = client.db(`${ci.names.mongoDb}_steps`);
  const log = db.collection<DeliveryDoc>("deliveries");
  await makeIndexes(db.collection("webhooks"), log, db.collection("senders"));
  const statuses = [Delivery_Status.delivered, Delivery_Status.failed, Delivery_Status.cancelled];
  const made = (id: number) => ({
    _id: id,
    webhookId: 1,
    eventId: `${id}`,
    status: statuses[id % 3],
    createdAt: new Date(id),
  });
  await log.insertMany(upTo(3_000).map((id) => made(id) as DeliveryDoc));
  const commands: Document[] = [];
  client.on("commandStarted", ({ command }) => void (command.find && commands.push(command)));
  await deliveryStore(log).redeliverFailed(1, { since: new Date(1_000), id: 0 });
  const { filter, sort, limit } = commands[0]!;
  const { executionStats } = await log.find(filter).sort(sort).limit(limit).explain("executionStats");
  expect(executionStats.nReturned).toBe(200);
  expect(executionStats.totalDocsExamined).toBeLessThan(210);
});

test("a long log is counted up to a limit", async () => {
  await using client = await new MongoClient(ci.names.mongoUrl, { ignoreUndefined: true }).connect();
  const db = client.db(`${ci.names.mongoDb}_counts`);
  const log = db.collection<DeliveryDoc>("deliveries");
  await makeIndexes(db.collection("webhooks"), log, db.collection("senders"));
  const statuses = [Delivery_Status.failed, Delivery_Status.cancelled];
  const made = (id: number) => ({
    _id: id,
    webhookId: 1,
    eventId: `${id}`,
    status: statuses[id % 2],
    createdAt: new Date(id),
  });
  await log.insertMany(upTo(2_000).map((id) => made(id) as DeliveryDoc));
  const store = deliveryStore(log);
  expect(await store.countUndelivered(1, new Date(0))).toEqual({ count: 1_000, atLeast: true });
  expect(await store.countUndelivered(1, new Date(1_500))).toEqual({ count: 501, atLeast: false });
});

describe("invalid", () => {
  test("rejects a request without a time", async () => {
    const webhook = await ci.aWebhook(await ci.aNamespace(), "http://a.test");
    await expect(redeliverFailed(webhook)).rejects.toMatchObject({
      code: "invalid",
      fields: { since: ["Since field required"] },
    });
  });
});

describe("not_found", () => {
  test("rejects outsiders, and webhooks of another namespace", async () => {
    const webhook = await ci.aWebhook(await ci.aNamespace(), "http://a.test");
    const other = await ci.aNamespace();
    await expect(redeliverFailed(webhook, new Date(0), ci.users.eve)).rejects.toMatchObject({ code: "not_found" });
    await expect(redeliverFailed({ ...webhook, namespaceId: other.id }, new Date(0))).rejects.toMatchObject({
      code: "not_found",
    });
  });
});
