import type { Webhook } from "@ci/proto/webhooks/v1/webhooks";
import { eventNames } from "@ci/rest/event-names";
import { eventPayloads } from "@ci/rest/event-payloads";
import { eventually } from "@ci/testkit/eventually";
import { type Answer, receiver } from "@ci/testkit/receiver";
import { verifies } from "./_signatures.js";
import { aBuild, bootWebhooks } from "./_suite.js";

const ci = bootWebhooks({ pausesMs: [3_600_000] });

const sendTest = async ({ namespaceId, id: webhookId }: Webhook, event = "", user = ci.users.bob) =>
  (await ci.as(user, () => ci.webhooks.testWebhook({ namespaceId, webhookId, event }))).delivery!;

const storedWebhook = ({ id }: Webhook) => ci.db.collection<{ _id: number }>("webhooks").findOne({ _id: id });

describe("succeeds", () => {
  test("sends one signed example of the webhook's first event, marked as a test, even if the webhook is inactive", async () => {
    await using inbox = await receiver();
    const namespace = await ci.aNamespace();
    const fields = { secret: "s", active: false, events: ["cron", "build.finished"] };
    const webhook = await ci.aWebhook(namespace, inbox.url, fields);
    const sent = await sendTest(webhook);
    expect(sent).toMatchObject({ status: "pending", event: "build.finished", attemptCount: 0, attempts: [] });
    const [delivery] = await ci.settled(webhook, 1);
    expect(delivery).toMatchObject({ id: sent.id, status: "delivered", attempts: [{ number: 1, redelivery: true }] });
    expect(delivery!.request!.headers).toMatchObject({ "X-Service-CI-Test": "true" });
    const [request] = inbox.requests;
    expect(request!.headers).toMatchObject({ "x-service-ci-test": "true", "x-service-ci-event": "build.finished" });
    expect(verifies(request!, "s")).toBe(true);
    expect(JSON.parse(request!.body.toString())).toMatchObject({
      user: { username: ci.users.ann.username },
      namespace: { id: namespace.id, path: namespace.path },
      finished_at: delivery!.createdAt!.toISOString(),
    });
  });

  test("sends an example of any event", async () => {
    await using inbox = await receiver();
    const webhook = await ci.aWebhook(await ci.aNamespace(), inbox.url, { events: ["cron"] });
    for (const event of eventNames) await sendTest(webhook, event);
    await ci.settled(webhook, eventNames.length);
    for (const { headers, body } of inbox.requests) {
      const event = headers["x-service-ci-event"] as keyof typeof eventPayloads;
      eventPayloads[event].parse(JSON.parse(body.toString()));
    }
    expect(new Set(inbox.requests.map(({ headers }) => headers["x-service-ci-event"]))).toEqual(new Set(eventNames));
  });

  test("makes one attempt, whose failure neither deactivates the webhook nor counts against it", async () => {
    const codes = [500, 410];
    await using inbox = await receiver({ answer: () => ({ status: codes.shift()! }) });
    const webhook = await ci.aWebhook(await ci.aNamespace(), inbox.url);
    await sendTest(webhook, "cron");
    expect(await ci.settled(webhook, 1)).toMatchObject([{ status: "failed", attemptCount: 1 }]);
    await sendTest(webhook, "cron");
    expect(await ci.settled(webhook, 2)).toMatchObject([{ status: "failed" }, { status: "failed" }]);
    await eventually(async () => expect(await ci.read(webhook)).toMatchObject({ lastResponse: { code: 410 } }));
    expect(await ci.read(webhook)).toMatchObject({ active: true });
    expect(await storedWebhook(webhook)).not.toHaveProperty("failingSince");
  });

  test("a success does not end the failures of a webhook", async () => {
    const codes = [500];
    await using inbox = await receiver({ answer: () => ({ status: codes.shift() ?? 200 }) });
    const namespace = await ci.aNamespace();
    const webhook = await ci.aWebhook(namespace, inbox.url);
    await ci.publishBuild("build.submitted", aBuild(namespace.id));
    await eventually(async () => expect(await storedWebhook(webhook)).toHaveProperty("failingSince"));
    await sendTest(webhook);
    await eventually(async () => expect(await ci.read(webhook)).toMatchObject({ lastResponse: { code: 200 } }));
    expect(await storedWebhook(webhook)).toHaveProperty("failingSince");
  });

  test("many requests while a test waits make one more attempt of it, at the present address", async () => {
    const waiting: ((answer: Answer) => void)[] = [];
    await using before = await receiver({ answer: () => new Promise((done) => waiting.push(done)) });
    await using after = await receiver();
    const webhook = await ci.aWebhook(await ci.aNamespace(), before.url);
    const first = await sendTest(webhook, "cron");
    await eventually(() => expect(waiting).toHaveLength(1));
    const { namespaceId, id } = webhook;
    await ci.as(ci.users.bob, () => ci.webhooks.updateWebhook({ namespaceId, id, payloadUrl: after.url }));
    const again = await Promise.all(Array.from({ length: 20 }, () => sendTest(webhook, "cron")));
    expect(new Set(again.map((one) => one.id))).toEqual(new Set([first.id]));
    waiting[0]!({ status: 500 });
    expect(await ci.settled(webhook, 1)).toMatchObject([{ status: "delivered", attemptCount: 2 }]);
    expect(after.requests).toHaveLength(1);
    expect((await sendTest(webhook, "cron")).id).not.toBe(first.id);
  });

  test("many first requests make one test", async () => {
    await using inbox = await receiver({ answer: () => new Promise(() => undefined) });
    const webhook = await ci.aWebhook(await ci.aNamespace(), inbox.url);
    const sent = await Promise.all(Array.from({ length: 20 }, () => sendTest(webhook)));
    expect(new Set(sent.map(({ id }) => id)).size).toBe(1);
  });

  test("the log keeps the newest tests of a webhook, and every event", async () => {
    await using inbox = await receiver();
    const namespace = await ci.aNamespace();
    const webhook = await ci.aWebhook(namespace, inbox.url);
    const event = await ci.publishBuild("build.submitted", aBuild(namespace.id));
    const stored = ci.db.collection<{ _id: number; webhookId: number; test?: true }>("deliveries");
    await eventually(async () => expect(await stored.countDocuments({ webhookId: webhook.id })).toBe(1));
    await stored.insertMany(
      Array.from({ length: 101 }, (_, nth) => ({ _id: -nth, webhookId: webhook.id, eventId: `e-${nth}`, test: true })),
    );
    const { id } = await sendTest(webhook);
    const tests = await stored.find({ webhookId: webhook.id, test: true }).sort({ _id: 1 }).toArray();
    expect([tests.length, tests[0]!._id, tests.at(-1)!._id]).toEqual([101, -99, id]);
    expect(await stored.countDocuments({ webhookId: webhook.id, eventId: event })).toBe(1);
  });

  test("events that follow a test are sent in order", async () => {
    await using inbox = await receiver();
    const namespace = await ci.aNamespace();
    const webhook = await ci.aWebhook(namespace, inbox.url);
    const events: string[] = [];
    for (let nth = 0; nth < 3; nth++) {
      events.push(await ci.publishBuild("build.submitted", aBuild(namespace.id)));
      await eventually(async () => expect(await ci.deliveries(webhook)).toHaveLength(events.length));
      events.push((await sendTest(webhook)).eventId);
      await ci.settled(webhook, events.length);
    }
    events.push(await ci.publishBuild("build.finished", aBuild(namespace.id)));
    const settled = await ci.settled(webhook, 7);
    expect(new Set(settled.map(({ eventId }) => eventId))).toEqual(new Set(events));
    const ofBuilds = inbox.requests.filter(({ headers }) => headers["x-service-ci-test"] === undefined);
    const idsOf = new Map(settled.map(({ deliveryId, eventId }) => [deliveryId, eventId]));
    expect(ofBuilds.map(({ headers }) => idsOf.get(String(headers["x-service-ci-delivery"])))).toEqual(
      events.filter((_, nth) => nth % 2 === 0),
    );
  });

  test("a failed test is not sent again with the failed events", async () => {
    await using inbox = await receiver({ answer: () => ({ status: 500 }) });
    const webhook = await ci.aWebhook(await ci.aNamespace(), inbox.url);
    await sendTest(webhook);
    await ci.settled(webhook, 1);
    const request = { namespaceId: webhook.namespaceId, webhookId: webhook.id, since: webhook.createdAt };
    expect(await ci.as(ci.users.bob, () => ci.webhooks.redeliverFailed(request))).toMatchObject({ count: 0 });
  });
});

describe("fails", () => {
  test("rejects an unknown event, and outsiders", async () => {
    const webhook = await ci.aWebhook(await ci.aNamespace(), "https://example.com/in");
    const unknown = { code: "invalid", fields: { event: ["Event unknown event nope"] } };
    await expect(sendTest(webhook, "nope")).rejects.toMatchObject(unknown);
    await expect(sendTest(webhook, "", ci.users.eve)).rejects.toMatchObject({ code: "not_found" });
    expect(await ci.deliveries(webhook)).toEqual([]);
  });
});
