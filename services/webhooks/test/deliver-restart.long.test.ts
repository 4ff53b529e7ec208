import { eventually } from "@ci/testkit/eventually";
import { type Answer, type Received, receiver } from "@ci/testkit/receiver";
import { MongoClient } from "mongodb";
import { senderStore } from "../src/store/senders.js";
import { aBuild, bootWebhooks } from "./_suite.js";

// Longer than this file takes.
const ci = bootWebhooks({ aliveMs: 3_600_000 });

const numberOf = ({ body }: Received): number => JSON.parse(body.toString()).number;
const submit = (namespaceId: number, number: number) =>
  ci.publishBuild("build.submitted", aBuild(namespaceId, { number }));
const upTo = (last: number) => Array.from({ length: last }, (_, nth) => nth + 1);

test("a restart during a delivery loses nothing and keeps the order", async () => {
  let stalled = true;
  await using inbox = await receiver({
    answer: () => (stalled ? new Promise<Answer>(() => {}) : { status: 200 }),
  });
  const namespace = await ci.aNamespace();
  const webhook = await ci.aWebhook(namespace, inbox.url);
  for (const number of upTo(10)) await submit(namespace.id, number);
  await eventually(() => expect(inbox.requests).toHaveLength(1));
  await ci.restart(async () => {
    stalled = false;
    for (const number of [11, 12]) await submit(namespace.id, number);
  });
  await ci.settled(webhook, 12);
  // The interrupted attempt is repeated, because its result is unknown.
  expect(inbox.requests.map(numberOf)).toEqual([1, ...upTo(12)]);
});

test("a process keeps its lanes while its heartbeat is recent, and others claim them afterwards", async () => {
  await using inbox = await receiver();
  const namespace = await ci.aNamespace();
  const webhook = await ci.aWebhook(namespace, inbox.url);
  await using mongo = new MongoClient(ci.names.mongoUrl);
  const db = mongo.db(ci.config.mongoDb);
  const senders = senderStore(db.collection("senders"));
  await senders.renew("other", ci.config.aliveMs);
  const holder = { $set: { lane: { holder: "other" } } };
  await db.collection<{ _id: number }>("webhooks").updateOne({ _id: webhook.id }, holder);
  await submit(namespace.id, 1);
  await eventually(async () => expect(await ci.deliveries(webhook)).toHaveLength(1));
  // A later event reaches another address meanwhile, so every process has had time to claim the lane.
  await using otherReceiver = await receiver();
  const otherWebhook = await ci.aWebhook(namespace, otherReceiver.url);
  await submit(namespace.id, 2);
  await ci.settled(otherWebhook, 1);
  expect(inbox.requests).toEqual([]);
  await senders.renew("other", 0);
  expect(await ci.settled(webhook, 2)).toMatchObject([{ status: "delivered", attemptCount: 1 }, { attemptCount: 1 }]);
});

test("two processes share the work: each event once, in order, one attempt at a time", async () => {
  await using _second = await ci.start();
  const open = new Map<string, number>();
  let maxOpen = 0;
  await using inbox = await receiver({
    answer: async ({ path }) => {
      open.set(path, (open.get(path) ?? 0) + 1);
      maxOpen = Math.max(maxOpen, open.get(path)!);
      await new Promise(setImmediate);
      open.set(path, open.get(path)! - 1);
      return { status: 200 };
    },
  });
  const namespace = await ci.aNamespace();
  const paths = ["/a", "/b", "/c"];
  for (const path of paths) await ci.aWebhook(namespace, `${inbox.url}${path}`);
  for (const number of upTo(20)) await submit(namespace.id, number);
  await eventually(() => expect(inbox.requests).toHaveLength(60));
  for (const path of paths)
    expect(inbox.requests.filter((request) => request.path === path).map(numberOf)).toEqual(upTo(20));
  expect(maxOpen).toBe(1);
});
