import type { Delivery, Webhook } from "@ci/proto/webhooks/v1/webhooks";
import { eventually } from "@ci/testkit/eventually";
import { type Answer, receiver } from "@ci/testkit/receiver";
import { bodyDigest, verifies } from "./_signatures.js";
import { aBuild, bootWebhooks } from "./_suite.js";

const ci = bootWebhooks({ pausesMs: [3_600_000] });

const redeliver = async ({ namespaceId, id: webhookId }: Webhook, { id }: Delivery, user = ci.users.bob) =>
  (await ci.as(user, () => ci.webhooks.redeliver({ namespaceId, webhookId, id }))).delivery!;

const update = ({ namespaceId, id }: Webhook, changes: object) =>
  ci.as(ci.users.bob, () => ci.webhooks.updateWebhook({ namespaceId, id, removeSecret: false, ...changes }));

/** Returns a webhook and its only delivery, after the first attempt. */
async function firstDelivery(url: string) {
  const namespace = await ci.aNamespace();
  const webhook = await ci.aWebhook(namespace, url, { secret: "first" });
  await ci.publishBuild("build.submitted", aBuild(namespace.id));
  const delivery = await eventually(async () => {
    const [only] = await ci.deliveries(webhook);
    expect(only?.attemptCount).toBe(1);
    return only!;
  });
  return { webhook, delivery };
}

describe("succeeds", () => {
  test("resends the same body and id, signed with the current secret, even if the webhook is inactive", async () => {
    await using inbox = await receiver();
    const { webhook, delivery } = await firstDelivery(inbox.url);
    await update(webhook, { secret: "second", active: false });
    expect(await redeliver(webhook, delivery)).toMatchObject({ id: delivery.id, status: "pending", attemptCount: 1 });
    const [again] = await ci.settled(webhook, 1);
    expect(again).toMatchObject({
      status: "delivered",
      deliveryId: delivery.deliveryId,
      attempts: [
        { number: 1, redelivery: false },
        { number: 2, redelivery: true },
      ],
    });
    const [first, second] = inbox.requests;
    expect(second!.body).toEqual(first!.body);
    expect(second!.headers["x-service-ci-delivery"]).toBe(first!.headers["x-service-ci-delivery"]);
    expect(second!.headers["x-service-ci-signature"]).toBe(bodyDigest(second!, "second"));
    expect([verifies(second!, "first"), verifies(second!, "second")]).toEqual([false, true]);
  });

  test("sends unsigned if the webhook no longer has a secret", async () => {
    await using inbox = await receiver();
    const { webhook, delivery } = await firstDelivery(inbox.url);
    await update(webhook, { removeSecret: true });
    await redeliver(webhook, delivery);
    await ci.settled(webhook, 1);
    expect(Object.keys(inbox.requests[1]!.headers).filter((name) => /signature|^webhook/.test(name))).toEqual([]);
  });

  test("makes one attempt without retries, even for a delivery that waited for its retry", async () => {
    await using inbox = await receiver({ answer: () => ({ status: 500 }) });
    const { webhook, delivery } = await firstDelivery(inbox.url);
    expect(delivery).toMatchObject({ status: "pending", nextAttemptAt: expect.any(Date) });
    expect(await redeliver(webhook, delivery)).toMatchObject({ status: "pending", nextAttemptAt: undefined });
    expect(await ci.settled(webhook, 1)).toMatchObject([{ status: "failed", attemptCount: 2 }]);
  });

  test("an attempt requested during another one is made after that one", async () => {
    const waiting: ((answer: Answer) => void)[] = [];
    await using inbox = await receiver({ answer: () => new Promise((done) => waiting.push(done)) });
    const namespace = await ci.aNamespace();
    const webhook = await ci.aWebhook(namespace, inbox.url);
    await ci.publishBuild("build.submitted", aBuild(namespace.id));
    await eventually(() => expect(waiting).toHaveLength(1));
    const [delivery] = await ci.deliveries(webhook);
    // A request during the first attempt changes nothing.
    await redeliver(webhook, delivery!);
    waiting[0]!({ status: 500 });
    await eventually(async () => expect(await ci.deliveries(webhook)).toMatchObject([{ attemptCount: 1 }]));
    await redeliver(webhook, delivery!);
    await eventually(() => expect(waiting).toHaveLength(2));
    await redeliver(webhook, delivery!);
    waiting[1]!({ status: 500 });
    await eventually(() => expect(waiting).toHaveLength(3));
    waiting[2]!({ status: 200 });
    expect(await ci.settled(webhook, 1)).toMatchObject([{ status: "delivered", attemptCount: 3 }]);
  });
});

describe("not_found", () => {
  test("rejects an unknown delivery, and outsiders", async () => {
    await using inbox = await receiver();
    const { webhook, delivery } = await firstDelivery(inbox.url);
    await expect(redeliver(webhook, { ...delivery, id: 999_999 })).rejects.toMatchObject({ code: "not_found" });
    await expect(redeliver(webhook, delivery, ci.users.eve)).rejects.toMatchObject({ code: "not_found" });
    expect(inbox.requests).toHaveLength(1);
  });
});
