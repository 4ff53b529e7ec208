import type { Webhook } from "@ci/proto/webhooks/v1/webhooks";
import { eventually } from "@ci/testkit/eventually";
import { receiver } from "@ci/testkit/receiver";
import type { Document } from "mongodb";
import type { DeliveryDoc } from "../src/store/delivery-doc.js";
import { aBuild, bootWebhooks } from "./_suite.js";

const ci = bootWebhooks({ pausesMs: [3_600_000] });

const counts = ({ namespaceId, id: webhookId }: Webhook) =>
  ci.as(ci.users.bob, () => ci.webhooks.countDeliveries({ namespaceId, webhookId }));
const exactly = (count: number) => ({ count, atLeast: false });
const none = {
  pending: exactly(0),
  delivered: exactly(0),
  failed: exactly(0),
  cancelled: exactly(0),
  tests: exactly(0),
};

let lastId = 0;
/** Adds finished deliveries of a status to the log, below the ids of the service's own. */
const add = ({ id: webhookId }: Webhook, status: DeliveryDoc["status"], count: number) => {
  const documents = Array.from({ length: count }, () => {
    lastId--;
    return { _id: lastId, webhookId, eventId: `e${lastId}`, status, createdAt: new Date(1_000 - lastId) };
  });
  return ci.db.collection<{ _id: number }>("deliveries").insertMany(documents);
};
const aWebhook = async (url = "http://example.com/in") => ci.aWebhook(await ci.aNamespace(), url);

test("counts each status, tests, and says since when", async () => {
  const codes = [200, 500, 410];
  await using inbox = await receiver({ answer: () => ({ status: codes.shift() ?? 200 }) });
  const webhook = await aWebhook(inbox.url);
  expect(await counts(webhook)).toEqual({ since: undefined, ...none });
  const publish = () => ci.publishBuild("build.submitted", aBuild(webhook.namespaceId));
  await publish();
  await eventually(async () =>
    expect(await counts(webhook)).toMatchObject({ delivered: exactly(1), pending: exactly(0) }),
  );
  const since = (await ci.deliveries(webhook))[0]!.createdAt;
  await publish();
  await eventually(async () => expect(await ci.deliveries(webhook)).toMatchObject([{}, { attemptCount: 1 }]));
  expect(await counts(webhook)).toEqual({ ...none, since, delivered: exactly(1), pending: exactly(1) });
  await publish();
  // The third response deactivates the webhook, which cancels the retry.
  await eventually(async () =>
    expect(await counts(webhook)).toEqual({
      ...none,
      since,
      delivered: exactly(1),
      cancelled: exactly(1),
      failed: exactly(1),
    }),
  );
  const { namespaceId, id: webhookId } = webhook;
  await ci.as(ci.users.bob, () => ci.webhooks.testWebhook({ namespaceId, webhookId, event: "cron" }));
  await eventually(async () =>
    expect(await counts(webhook)).toMatchObject({ delivered: exactly(2), tests: exactly(1), pending: exactly(0) }),
  );
});

test("counts up to a limit, and says that there may be more", async () => {
  const webhook = await aWebhook();
  await add(webhook, "delivered", 10_001);
  await add(webhook, "cancelled", 2);
  expect(await counts(webhook)).toMatchObject({
    ...none,
    delivered: { count: 10_000, atLeast: true },
    cancelled: exactly(2),
  });
  await add(webhook, "failed", 1_001);
  const { delivered, failed } = await counts(webhook);
  // It is unknown how many of the others failed.
  expect([delivered, failed]).toEqual([undefined, { count: 1_000, atLeast: true }]);
});

test("reads few documents and keys, however long the log is", async () => {
  const webhook = await aWebhook();
  await add(webhook, "delivered", 20_000);
  await add(webhook, "failed", 900);
  const { db } = ci;
  await db.command({ profile: 2 });
  await counts(webhook);
  await db.command({ profile: 0 });
  const profiled = await db
    .collection<Document>("system.profile")
    .find({ ns: `${db.databaseName}.deliveries` })
    .toArray();
  const sums = profiled.reduce(
    (sum, { keysExamined = 0, docsExamined = 0 }) => ({
      keys: sum.keys + keysExamined,
      docs: sum.docs + docsExamined,
    }),
    { keys: 0, docs: 0 },
  );
  expect(sums.keys).toBeLessThan(12_500);
  expect(sums.docs).toBeLessThan(1_000);
});
