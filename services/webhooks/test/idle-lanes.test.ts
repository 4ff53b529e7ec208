import { eventually } from "@ci/testkit/eventually";
import { type Answer, receiver } from "@ci/testkit/receiver";
import { MongoClient } from "mongodb";
import { type SeenWebhooks, seenWebhooks } from "../src/delivery/seen-webhooks.js";
import { start } from "../src/service.js";
import type { DeliveryDoc } from "../src/store/delivery-doc.js";
import type { WebhookDoc } from "../src/store/webhook-doc.js";
import { aBuild, bootWebhooks } from "./_suite.js";

const ci = bootWebhooks();

const submit = (namespaceId: number, number: number) =>
  ci.publishBuild("build.submitted", aBuild(namespaceId, { number }));

/** Creates a namespace with one webhook. `holder` returns the holder of its lane. */
async function aLane(url: string) {
  const namespace = await ci.aNamespace();
  const webhook = await ci.aWebhook(namespace, url);
  const holder = async () => {
    await using mongo = new MongoClient(ci.names.mongoUrl);
    const webhooks = mongo.db(ci.config.mongoDb).collection<WebhookDoc>("webhooks");
    return (await webhooks.findOne({ _id: webhook.id }))!.lane?.holder;
  };
  return { namespace, webhook, holder };
}

test("an idle lane is released, and claimed again for the next delivery", async () => {
  await using inbox = await receiver();
  const { namespace, webhook, holder } = await aLane(inbox.url);
  for (const number of [1, 2]) {
    await submit(namespace.id, number);
    await ci.settled(webhook, number);
    await eventually(async () => expect(await holder()).toBeUndefined());
  }
  expect((await ci.read(webhook)).lastResponse).toMatchObject({ code: 200 });
});

test("a webhook shows its last response while the next attempt is under way", async () => {
  let finish = (_: Answer) => {};
  const second = new Promise<Answer>((resolve) => {
    finish = resolve;
  });
  let attempts = 0;
  await using inbox = await receiver({ answer: async () => (++attempts === 1 ? { status: 201 } : second) });
  const { namespace, webhook } = await aLane(inbox.url);
  for (const number of [1, 2]) await submit(namespace.id, number);
  await eventually(() => expect(attempts).toBe(2));
  await eventually(async () => expect((await ci.read(webhook)).lastResponse).toMatchObject({ code: 201 }));
  finish({ status: 200 });
  await ci.settled(webhook, 2);
});

test("a lane that was idle uses the webhook that was read for the new event", async () => {
  // The time stands still, so every webhook counts as just read.
  const seen = seenWebhooks(() => 0);
  let used = 0;
  const take: SeenWebhooks["take"] = (id) => {
    const webhook = seen.take(id);
    if (webhook) used++;
    return webhook;
  };
  const usual = ci.start;
  ci.start = () => start(ci.config, { now: ci.now, seen: { ...seen, take } });
  await ci.restart();
  ci.start = usual;
  await using inbox = await receiver();
  const { namespace, webhook } = await aLane(inbox.url);
  let events = 0;
  await eventually(async () => {
    await submit(namespace.id, ++events);
    await ci.settled(webhook, events);
    expect(used).toBeGreaterThan(0);
  });
});

test("the holder of a lane sends the deliveries that another process stores", async () => {
  await using inbox = await receiver();
  const { namespace, webhook } = await aLane(inbox.url);
  await using second = await ci.start();
  await submit(namespace.id, 1);
  const [first] = await ci.settled(webhook, 1);
  const request = { namespaceId: namespace.id, webhookId: webhook.id, id: first!.id };
  // One of them holds the lane; the other has to wake it.
  for (const client of [ci.webhooks, ci.clientTo(second)]) {
    const before = inbox.requests.length;
    await ci.as(ci.users.bob, () => client.redeliver(request));
    await eventually(() => expect(inbox.requests).toHaveLength(before + 1));
    await submit(namespace.id, 1 + before);
    await eventually(() => expect(inbox.requests).toHaveLength(before + 2));
  }
});

test("a process that stops releases its lanes, and writes all attempts and the last response", async () => {
  await using inbox = await receiver({ answer: () => ({ status: 203 }) });
  const { namespace, webhook, holder } = await aLane(inbox.url);
  await submit(namespace.id, 1);
  await eventually(() => expect(inbox.requests).toHaveLength(1));
  await ci.restart(async () => {
    expect(await holder()).toBeUndefined();
    await using mongo = new MongoClient(ci.names.mongoUrl);
    const deliveries = mongo.db(ci.config.mongoDb).collection<DeliveryDoc>("deliveries");
    expect(await deliveries.findOne({ webhookId: webhook.id })).toMatchObject({ status: "delivered", attemptCount: 1 });
  });
  expect((await ci.read(webhook)).lastResponse).toMatchObject({ code: 203 });
});
