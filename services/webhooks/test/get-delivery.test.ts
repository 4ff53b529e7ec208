import { eventually } from "@ci/testkit/eventually";
import { type Answer, receiver } from "@ci/testkit/receiver";
import { aBuild, bootWebhooks } from "./_suite.js";

const ci = bootWebhooks({ bodyLimitBytes: 6, pausesMs: [10] });

const deliver = async (answer: Answer) => {
  await using inbox = await receiver({ answer: () => answer });
  const namespace = await ci.aNamespace();
  const webhook = await ci.aWebhook(namespace, inbox.url, { secret: "s" });
  await ci.publishBuild("build.submitted", aBuild(namespace.id));
  const [delivery] = await ci.settled(webhook, 1);
  return { webhook, delivery: delivery!, requests: inbox.requests };
};

describe("succeeds", () => {
  test("returns exactly the bytes and headers that were sent", async () => {
    const { delivery, requests, webhook } = await deliver({ status: 200 });
    const { headers, body } = requests[0]!;
    expect(delivery.request!.payload).toBe(body.toString());
    expect(delivery.request!.headers).toEqual({
      "Content-Type": "application/json; charset=utf-8",
      Accept: "*/*",
      "User-Agent": "Service-CI-Hook",
      "X-Service-CI-Event": "build.submitted",
      "X-Service-CI-Delivery": delivery.deliveryId,
      "X-Service-CI-Hook-ID": String(webhook.id),
      "X-Service-CI-Signature": headers["x-service-ci-signature"],
      "webhook-id": delivery.deliveryId,
      "webhook-timestamp": headers["webhook-timestamp"],
      "webhook-signature": headers["webhook-signature"],
    });
  });

  test("returns the response, no matter what bytes and header names it has", async () => {
    const odd = { "X-Odd": "1", $set: "2", "a.b": "3", ["__proto__"]: "4", _bsontype: "ObjectId" };
    const reference = { $ref: "a", $id: "1", $db: "b" };
    const headers = { ...odd, ...reference };
    const { delivery } = await deliver({ status: 299, headers, body: Buffer.from([0x61, 0xff, 0x00, 0x62]) });
    expect(delivery.response).toMatchObject({ code: 299, body: "a\ufffd\u0000b", truncated: false });
    expect(delivery.response!.headers).toMatchObject({ "x-odd": "1", $set: "2", "a.b": "3" });
  });

  test("returns the beginning of a long response, cut between characters", async () => {
    const { delivery } = await deliver({ status: 200, body: "abcdeé and more" });
    expect(delivery.response).toMatchObject({ body: "abcde", truncated: true });
  });

  test("returns every attempt, and the response of the last", async () => {
    const { delivery, webhook } = await deliver({ status: 500, body: "sorry" });
    const failed = { redelivery: false, code: 500, error: "unexpected status 500", durationNs: expect.any(Number) };
    expect(delivery).toMatchObject({
      status: "failed",
      attemptCount: 2,
      nextAttemptAt: undefined,
      attempts: [
        { number: 1, ...failed },
        { number: 2, ...failed },
      ],
      response: { code: 500, body: "sorry" },
    });
    const { number, redelivery, ...last } = delivery.attempts[1]!;
    // The webhook is written after the delivery.
    await eventually(async () => expect((await ci.read(webhook)).lastResponse).toEqual(last));
  });
});

describe("not_found", () => {
  test("rejects another webhook's delivery, an unknown id, and outsiders", async () => {
    const { delivery, webhook } = await deliver({ status: 200 });
    const other = await ci.aWebhook(await ci.aNamespace(), "https://example.com/in");
    const get = ({ namespaceId, id: webhookId } = webhook, id = delivery.id, user = ci.users.bob) =>
      ci.as(user, () => ci.webhooks.getDelivery({ namespaceId, webhookId, id }));
    expect((await get()).delivery).toEqual(delivery);
    for (const call of [() => get(other), () => get(webhook, 999_999), () => get(webhook, delivery.id, ci.users.eve)])
      await expect(call()).rejects.toMatchObject({ code: "not_found" });
  });
});
