import type { Webhook } from "@ci/proto/webhooks/v1/webhooks";
import { eventually } from "@ci/testkit/eventually";
import { receiver } from "@ci/testkit/receiver";
import { cancelStale } from "../src/actions/cancel-stale.js";
import { deliveryStore } from "../src/store/deliveries.js";
import { type DeliveryDoc, dueImmediately } from "../src/store/delivery-doc.js";
import type { WebhookDoc } from "../src/store/webhook-doc.js";
import { webhookStore } from "../src/store/webhooks.js";
import { aBuild, bootWebhooks } from "./_suite.js";

const hourMs = 3_600_000;
const ci = bootWebhooks({ pausesMs: [hourMs] });

const webhooksIn = () => ci.db.collection<WebhookDoc>("webhooks");
const deliveriesIn = () => ci.db.collection<DeliveryDoc>("deliveries");

const stores = () => ({
  webhooks: webhookStore(ci.db, webhooksIn(), ci.config.webhooksPerUser),
  deliveries: deliveryStore(deliveriesIn()),
});

/** Writes what a process writes before it dies. */
const write = ({ id }: Webhook, active: boolean) => {
  ci.advanceClock(1);
  const set = active ? { active, activeSince: ci.now() } : { active };
  return webhooksIn().updateOne({ _id: id }, { $set: set, $inc: { revision: 1 } });
};

const update = ({ namespaceId, id }: Webhook, active: boolean) =>
  ci.as(ci.users.bob, () => ci.webhooks.updateWebhook({ namespaceId, id, active, removeSecret: false }));

/** Returns a webhook with a delivery that waits an hour for its retry. */
async function withRetry(url: string): Promise<Webhook> {
  const webhook = await ci.aWebhook(await ci.aNamespace(), url);
  await ci.publishBuild("build.submitted", aBuild(webhook.namespaceId));
  await eventually(async () =>
    expect(await ci.deliveries(webhook)).toMatchObject([{ status: "pending", attemptCount: 1 }]),
  );
  return webhook;
}

/** Stores another delivery, recorded now and not yet sent, without waking anything. */
async function addDelivery({ id: webhookId }: Webhook, number: number, more: Partial<DeliveryDoc> = {}): Promise<void> {
  const first = (await deliveriesIn().findOne({ webhookId, eventId: { $gt: "" } }))!;
  const fresh = {
    status: "pending",
    attemptCount: 0,
    attempts: [],
    createdAt: ci.now(),
    nextAttemptAt: undefined,
  } as const;
  const ids = { _id: first._id + number, eventId: `event ${number}`, deliveryId: `delivery ${number}` };
  await deliveriesIn().insertOne({ ...first, ...fresh, ...ids, dueAt: dueImmediately, ...more });
}

/** Cancels while the service is away, and activates the webhook after the look at it. */
const cancelDuringActivation = (webhook: Webhook) =>
  ci.restart(async () => {
    const { webhooks, deliveries } = stores();
    const findByIds = async (ids: readonly number[]) => {
      const found = await webhooks.findByIds(ids);
      await write(webhook, true);
      await addDelivery(webhook, 1);
      return found;
    };
    await cancelStale({ webhooks: { ...webhooks, findByIds }, deliveries }, webhook.id);
  });

const statuses = async (webhook: Webhook) => (await ci.deliveries(webhook)).map(({ status }) => status);

describe("a process dies", () => {
  test("after a deactivation, and an activation by hand cancels the retries from before", async () => {
    await using inbox = await receiver({ answer: () => ({ status: 500 }) });
    const webhook = await withRetry(inbox.url);
    await write(webhook, false);
    await update(webhook, true);
    expect(await ci.deliveries(webhook)).toMatchObject([{ status: "cancelled", nextAttemptAt: undefined }]);
  });

  test("also after the activation, and the retries from before are not sent", async () => {
    await using inbox = await receiver({ answer: () => ({ status: 500 }) });
    const webhook = await withRetry(inbox.url);
    await ci.restart(async () => {
      await write(webhook, false);
      await write(webhook, true);
    });
    ci.advanceClock(2 * hourMs);
    expect(await ci.settled(webhook, 1)).toMatchObject([{ status: "cancelled", attemptCount: 1 }]);
    await ci.publishBuild("build.finished", aBuild(webhook.namespaceId));
    await eventually(() => expect(inbox.requests).toHaveLength(2));
    expect(inbox.requests[1]!.headers["x-service-ci-event"]).toBe("build.finished");
  });

  test("after a deactivation, and the retries are cancelled when they are due", async () => {
    await using inbox = await receiver({ answer: () => ({ status: 500 }) });
    const webhook = await withRetry(inbox.url);
    await ci.restart(() => write(webhook, false));
    ci.advanceClock(2 * hourMs);
    expect(await ci.settled(webhook, 1)).toMatchObject([{ status: "cancelled", attemptCount: 1 }]);
  });
});

describe("a cancellation comes late", () => {
  test("after a further activation, whose deliveries it spares", async () => {
    await using inbox = await receiver({ answer: () => ({ status: 500 }) });
    const webhook = await withRetry(inbox.url);
    await write(webhook, false);
    await write(webhook, true);
    // Without the service nothing else sends or cancels.
    await ci.restart(async () => {
      await addDelivery(webhook, 1);
      await cancelStale(stores(), webhook.id);
      const found = await deliveriesIn().find({ webhookId: webhook.id }).sort({ _id: 1 }).toArray();
      expect(found.map(({ status }) => status)).toEqual(["cancelled", "pending"]);
    });
    await eventually(() => expect(inbox.requests).toHaveLength(2));
  });

  test("and the webhook is activated after the look at it", async () => {
    await using inbox = await receiver({ answer: () => ({ status: 500 }) });
    const webhook = await withRetry(inbox.url);
    await write(webhook, false);
    await cancelDuringActivation(webhook);
    await eventually(async () => expect(inbox.requests).toHaveLength(2));
    expect(await statuses(webhook)).toContain("cancelled");
  });

  test("and a test has a higher id than the deliveries of a later activation", async () => {
    await using inbox = await receiver({ answer: () => ({ status: 500 }) });
    const webhook = await withRetry(inbox.url);
    await write(webhook, false);
    await addDelivery(webhook, 1_000, { test: true, dueAt: undefined });
    await cancelDuringActivation(webhook);
    await eventually(() => expect(inbox.requests).toHaveLength(2));
  });
});
