import type { Namespace } from "@ci/proto/namespaces/v1/namespaces";
import type { Webhook } from "@ci/proto/webhooks/v1/webhooks";
import { eventually } from "@ci/testkit/eventually";
import { gate } from "@ci/testkit/gate";
import { type Answer, type Received, receiver } from "@ci/testkit/receiver";
import type { StreamDoc } from "../src/store/stream.js";
import type { WebhookDoc } from "../src/store/webhook-doc.js";
import { verifies } from "./_signatures.js";
import { aBuild, bootWebhooks } from "./_suite.js";

const ci = bootWebhooks();

const events = ["build.submitted"];
const numberOf = ({ body }: Received): number => JSON.parse(body.toString()).number;
const submit = async ({ id }: Pick<Namespace, "id">, ...numbers: readonly number[]) => {
  for (const number of numbers) await ci.publishBuild("build.submitted", aBuild(id, { number }));
};
const replay = ({ namespaceId, id: webhookId }: Webhook, since?: Date, user = ci.users.bob) =>
  ci.as(user, () => ci.webhooks.replayMissed({ namespaceId, webhookId, since }));
const update = ({ namespaceId, id }: Webhook, changes: object) =>
  ci.as(ci.users.bob, () => ci.webhooks.updateWebhook({ namespaceId, id, removeSecret: false, ...changes }));

/** Waits until the stream has this many events of submissions. */
const recorded = ({ id: namespaceId }: Namespace, count: number) =>
  eventually(async () => {
    const stream = ci.db.collection<StreamDoc>("stream");
    expect(await stream.countDocuments({ namespaceId, kind: "build.submitted" })).toBe(count);
  });

describe("succeeds", () => {
  test("sends what happened before the webhook existed, in order, with the bodies and event ids that others got", async () => {
    await using inbox = await receiver();
    await using other = await receiver();
    const namespace = await ci.aNamespace();
    const early = await ci.aWebhook(namespace, other.url, { events });
    await submit(namespace, 1, 2, 3);
    const webhook = await ci.aWebhook(namespace, inbox.url, { events, secret: "s" });
    await replay(webhook, new Date(0));
    const late = await ci.settled(webhook, 3);
    expect(inbox.requests.map(numberOf)).toEqual([1, 2, 3]);
    expect(inbox.requests.every((request) => verifies(request, "s"))).toBe(true);
    const before = await ci.settled(early, 3);
    const keptOf = (deliveries: typeof late) => deliveries.map(({ eventId, request }) => [eventId, request!.payload]);
    expect(keptOf(late)).toEqual(keptOf(before));
    expect(late[0]!.attempts).toMatchObject([{ number: 1, redelivery: false }]);
  });

  test("sends each event once, however often it is requested", async () => {
    await using inbox = await receiver();
    const namespace = await ci.aNamespace();
    await submit(namespace, 1, 2);
    await recorded(namespace, 2);
    const webhook = await ci.aWebhook(namespace, inbox.url, { events });
    expect(await replay(webhook, new Date(0))).toEqual({ count: 2, atLeast: false });
    await replay(webhook, new Date(0));
    await ci.settled(webhook, 2);
    expect(await replay(webhook, new Date(0))).toEqual({ count: 0, atLeast: false });
    await eventually(async () =>
      expect(await ci.db.collection<WebhookDoc>("webhooks").findOne({ _id: webhook.id })).not.toHaveProperty("replay"),
    );
    await submit(namespace, 3);
    await ci.settled(webhook, 3);
    expect(inbox.requests.map(numberOf)).toEqual([1, 2, 3]);
  });

  test("sends what happened since a time while the webhook was inactive, and retries it", async () => {
    let answers = 0;
    await using inbox = await receiver({ answer: () => ({ status: ++answers === 1 ? 500 : 200 }) });
    const namespace = await ci.aNamespace();
    const webhook = await ci.aWebhook(namespace, inbox.url, { events, active: false });
    await submit(namespace, 1);
    ci.advanceClock(60_000);
    const since = ci.now();
    await submit(namespace, 2);
    await recorded(namespace, 2);
    await update(webhook, { active: true });
    expect(await replay(webhook, since)).toEqual({ count: 1, atLeast: false });
    expect(await ci.settled(webhook, 1)).toMatchObject([{ status: "delivered", attemptCount: 2 }]);
    expect(inbox.requests.map(numberOf)).toEqual([2, 2]);
  });

  test("new events go first, and a change of the list of events counts", async () => {
    const under = gate();
    const first = under.pass().then((): Answer => ({ status: 200 }));
    await using inbox = await receiver({ answer: () => first });
    const namespace = await ci.aNamespace();
    const webhook = await ci.aWebhook(namespace, inbox.url, { events: ["cron"] });
    await submit(namespace, 1, 2, 3);
    await recorded(namespace, 3);
    expect(await replay(webhook, new Date(0))).toEqual({ count: 0, atLeast: false });
    await update(webhook, { events: { names: events } });
    await replay(webhook, new Date(0));
    await eventually(() => expect(inbox.requests).toHaveLength(1));
    await eventually(async () => expect(await ci.deliveries(webhook)).toHaveLength(3));
    await submit(namespace, 4);
    await eventually(async () => expect(await ci.deliveries(webhook)).toHaveLength(4));
    under.open();
    await ci.settled(webhook, 4);
    expect(inbox.requests.map(numberOf)).toEqual([1, 4, 2, 3]);
  });

  test("what still waits is cancelled when the webhook is turned off", async () => {
    const under = gate();
    const first = under.pass().then((): Answer => ({ status: 200 }));
    await using inbox = await receiver({ answer: () => first });
    const namespace = await ci.aNamespace();
    await submit(namespace, 1, 2);
    const webhook = await ci.aWebhook(namespace, inbox.url, { events });
    await replay(webhook, new Date(0));
    await eventually(() => expect(inbox.requests).toHaveLength(1));
    await eventually(async () => expect(await ci.deliveries(webhook)).toHaveLength(2));
    await update(webhook, { active: false });
    under.open();
    await eventually(async () => expect((await ci.deliveries(webhook))[1]).toMatchObject({ status: "cancelled" }));
    await expect(replay(webhook, new Date(0))).rejects.toMatchObject({
      code: "invalid",
      fields: { active: ["Active must be true: turn the webhook on first"] },
    });
  });
});

describe("invalid", () => {
  test("rejects a request without a time", async () => {
    const webhook = await ci.aWebhook(await ci.aNamespace(), "http://a.test");
    await expect(replay(webhook)).rejects.toMatchObject({
      code: "invalid",
      fields: { since: ["Since field required"] },
    });
  });
});

describe("not_found", () => {
  test("rejects outsiders, and webhooks of another namespace", async () => {
    const webhook = await ci.aWebhook(await ci.aNamespace(), "http://a.test");
    const other = await ci.aNamespace();
    await expect(replay(webhook, new Date(0), ci.users.eve)).rejects.toMatchObject({ code: "not_found" });
    await expect(replay({ ...webhook, namespaceId: other.id }, new Date(0))).rejects.toMatchObject({
      code: "not_found",
    });
  });
});
