import { outboxEvent } from "@ci/kit/mongo/document";
import type { Namespace } from "@ci/proto/namespaces/v1/namespaces";
import type { Webhook } from "@ci/proto/webhooks/v1/webhooks";
import { eventually } from "@ci/testkit/eventually";
import { type Received, receiver } from "@ci/testkit/receiver";
import { BSON } from "mongodb";
import type { DeliveryDoc } from "../src/store/delivery-doc.js";
import type { PayloadDoc } from "../src/store/payloads.js";
import { bodyDigest, verifies } from "./_signatures.js";
import { aBuild, bootWebhooks } from "./_suite.js";

const pauseMs = 3_600_000;
const dayMs = 86_400_000;
const ci = bootWebhooks({ pausesMs: [pauseMs], logMs: dayMs });

const manifest = `# ${"é".repeat(512 * 1024 - 2)}`;
const payloads = () =>
  ci.db
    .collection<PayloadDoc>("payloads")
    .find({ _id: { $gt: "" } })
    .toArray();
const logged = (webhooks: readonly Webhook[]) =>
  ci.db
    .collection<DeliveryDoc>("deliveries")
    .find({ webhookId: { $in: webhooks.map(({ id }) => id) } })
    .toArray();

const webhooksOf = (namespace: Namespace, count: number, url: string) =>
  Promise.all(
    Array.from({ length: count }, (_, nth) => ci.aWebhook(namespace, `${url}/${nth}`, { secret: `secret ${nth}` })),
  );

/** Waits until every delivery of the webhooks has had this many attempts. */
const attempted = (webhooks: readonly Webhook[], count: number) =>
  eventually(async () => {
    const found = await logged(webhooks);
    expect(found.map(({ attemptCount }) => attemptCount)).toEqual(webhooks.map(() => count));
    return found;
  });

/** Makes the payloads as old as those that the service removes once no delivery refers to them. */
const agePayloads = () =>
  ci.db
    .collection("payloads")
    .updateMany({ _id: { $type: "string" } }, [{ $set: { neededAt: { $subtract: ["$$NOW", 2 * pauseMs] } } }]);

test("an event with a large payload stores it once, and every webhook gets it, signed with its own secret", async () => {
  let status = 500;
  await using inbox = await receiver({ answer: () => ({ status }) });
  const namespace = await ci.aNamespace();
  const webhooks = await webhooksOf(namespace, 50, inbox.url);
  const earlier = (await payloads()).map(({ _id }) => _id);
  const added = async () => (await payloads()).filter(({ _id }) => !earlier.includes(_id));
  await ci.publishBuild("build.submitted", aBuild(namespace.id, { manifest }));
  const deliveries = await attempted(webhooks, 1);

  const [payload, ...others] = await added();
  expect(others).toEqual([]);
  expect(JSON.parse(payload!.text)).toMatchObject({ manifest });
  const largest = Math.max(...deliveries.map((one) => BSON.calculateObjectSize(one)));
  expect(largest).toBeLessThan(4_096);
  // Earlier versions that run beside this one send nothing without it.
  expect(deliveries.filter(({ request }) => request)).toEqual([]);

  const expectAll = (requests: readonly Received[]) => {
    expect(requests.map(({ path }) => path).toSorted()).toEqual(webhooks.map((_, nth) => `/${nth}`).toSorted());
    for (const request of requests) {
      const secret = `secret ${request.path.slice(1)}`;
      expect(request.body.equals(Buffer.from(payload!.text))).toBe(true);
      expect(request.headers["content-length"]).toBe(String(request.body.length));
      expect(request.headers["x-service-ci-signature"]).toBe(bodyDigest(request, secret));
      expect(verifies(request, secret)).toBe(true);
    }
  };
  expectAll(inbox.requests);

  // After a restart, the retries read what is stored.
  status = 200;
  await ci.restart(async () => ci.advanceClock(2 * pauseMs));
  await attempted(webhooks, 2);
  expectAll(inbox.requests.slice(50));
  const [delivery] = await ci.deliveries(webhooks[7]!);
  expect(delivery).toMatchObject({ status: "delivered", attemptCount: 2 });
  expect(delivery!.request!.payload).toBe(payload!.text);
  expect(delivery!.request!.headers["webhook-id"]).toBe(delivery!.deliveryId);

  const { namespaceId, id: webhookId } = webhooks[7]!;
  const request = { namespaceId, webhookId, id: delivery!.id };
  const again = await ci.as(ci.users.bob, () => ci.webhooks.redeliver(request));
  expect(again.delivery!.request!.payload).toBe(payload!.text);
  await ci.settled(webhooks[7]!, 1);
  const redelivered = inbox.requests.at(-1)!;
  expect(redelivered.body.equals(inbox.requests[0]!.body)).toBe(true);
  expect(redelivered.headers["x-service-ci-delivery"]).toBe(delivery!.deliveryId);
  expect(verifies(redelivered, "secret 7")).toBe(true);
  expect(await added()).toHaveLength(1);
});

test("a small payload, and one for a single webhook, are stored in the delivery", async () => {
  const before = (await payloads()).length;
  await using inbox = await receiver();
  const [several, single] = [await ci.aNamespace(), await ci.aNamespace()];
  const webhooks = await webhooksOf(several, 2, `${inbox.url}/several`);
  const [only] = await webhooksOf(single, 1, `${inbox.url}/single`);
  await ci.publishBuild("build.submitted", aBuild(several.id));
  await ci.publishBuild("build.submitted", aBuild(single.id, { manifest }));
  for (const { request, sharedRequest } of await attempted([...webhooks, only!], 1))
    expect([typeof request?.payload, sharedRequest]).toEqual(["string", undefined]);
  expect(await payloads()).toHaveLength(before);
});

test("a repeated event needs its payload again, even if its deliveries were not stored before", async () => {
  await using inbox = await receiver();
  const namespace = await ci.aNamespace();
  const webhooks = await webhooksOf(namespace, 2, inbox.url);
  const event = { kind: "build.started", namespaceId: namespace.id, at: ci.now() };
  const value = aBuild(namespace.id, { manifest: `repeated ${manifest.slice(0, 5_000)}` });
  const message = outboxEvent({ ...event, body: { $case: "build", value } });
  const before = await payloads();
  await ci.publishMessage(message);
  const [first] = await attempted(webhooks, 1);
  const { payloadId } = first!.sharedRequest!;

  await ci.db.collection("deliveries").deleteMany({ webhookId: { $in: webhooks.map(({ id }) => id) } });
  await agePayloads();
  // Under another message id the bus stores it a second time.
  await ci.publishMessage({ ...message, id: "again" });
  const again = await attempted(webhooks, 1);
  expect(again.map(({ sharedRequest }) => sharedRequest!.payloadId)).toEqual([payloadId, payloadId]);
  const after = await payloads();
  expect(after).toHaveLength(before.length + 1);
  const old = Date.now() - pauseMs;
  expect(after.find(({ _id }) => _id === payloadId)!.neededAt.getTime()).toBeGreaterThan(old);
});

test("a payload is kept as long as a delivery refers to it, and is removed after the last one", async () => {
  await using inbox = await receiver();
  const namespace = await ci.aNamespace();
  const webhooks = await webhooksOf(namespace, 3, inbox.url);
  const large = aBuild(namespace.id, { manifest: `pruned ${manifest.slice(0, 5_000)}` });
  await ci.publishBuild("build.submitted", large);
  const [delivery] = await attempted(webhooks, 1);
  const { payloadId } = delivery!.sharedRequest!;
  const isStored = async () => (await payloads()).some(({ _id }) => _id === payloadId);
  const removeWebhook = ({ namespaceId, id }: Webhook) =>
    ci.as(ci.users.bob, () => ci.webhooks.deleteWebhook({ namespaceId, id }));

  // The pass runs when the service starts. This one is the last that it removes.
  const pruned = async () => {
    const unused = { _id: "f".repeat(64), text: "unused", neededAt: new Date() };
    await ci.db.collection<PayloadDoc>("payloads").insertOne(unused);
    await agePayloads();
    await ci.restart();
    await eventually(async () => expect((await payloads()).map(({ text }) => text)).not.toContain("unused"));
  };
  await removeWebhook(webhooks[0]!);
  await removeWebhook(webhooks[1]!);
  await pruned();
  expect(await isStored()).toBe(true);
  expect((await ci.deliveries(webhooks[2]!))[0]!.request!.payload).toContain("pruned");
  await removeWebhook(webhooks[2]!);
  await pruned();
  expect(await isStored()).toBe(false);
});

test("a payload without deliveries stays for an hour, because they may be about to be stored", async () => {
  const [young, old] = ["a", "f"].map((digit) => digit.repeat(64)) as [string, string];
  const unused = ci.db.collection<PayloadDoc>("payloads");
  await unused.insertOne({ _id: old, text: "old", neededAt: new Date(Date.now() - 2 * pauseMs) });
  await unused.insertOne({ _id: young, text: "young", neededAt: new Date(Date.now() - pauseMs / 2) });
  await ci.restart();
  await eventually(async () => expect(await unused.findOne({ _id: old })).toBeNull());
  expect(await unused.findOne({ _id: young })).toMatchObject({ text: "young" });
});

test("nothing is sent for a delivery whose payload is missing, and its attempt fails", async () => {
  let code = 500;
  await using inbox = await receiver({ answer: () => ({ status: code }) });
  const namespace = await ci.aNamespace();
  const webhooks = await webhooksOf(namespace, 2, inbox.url);
  const value = aBuild(namespace.id, { manifest: `missing ${manifest.slice(0, 5_000)}` });
  await ci.publishBuild("build.submitted", value);
  const [delivery] = await attempted(webhooks, 1);
  code = 200;
  await ci.restart(async () => {
    await ci.db.collection<PayloadDoc>("payloads").deleteOne({ _id: delivery!.sharedRequest!.payloadId });
    ci.advanceClock(2 * pauseMs);
  });
  for (const { status, attempts } of await attempted(webhooks, 2))
    expect([status, attempts[1]!.error]).toEqual(["failed", "payload is missing"]);
  expect(inbox.requests).toHaveLength(2);
});
