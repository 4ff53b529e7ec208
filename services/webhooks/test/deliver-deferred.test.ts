import { outboxEvent } from "@ci/kit/mongo/document";
import type { Webhook } from "@ci/proto/webhooks/v1/webhooks";
import { eventually } from "@ci/testkit/eventually";
import { type Received, receiver } from "@ci/testkit/receiver";
import { maxDeliveriesOfUser } from "../src/events/record-deliveries.js";
import type { DeferredEvent } from "../src/store/deferred-events.js";
import type { WebhookDoc } from "../src/store/webhook-doc.js";
import { aBuild, bootWebhooks } from "./_suite.js";

const ci = bootWebhooks();

const webhooks = () => ci.db.collection<WebhookDoc>("webhooks");
const deferred = () => ci.db.collection<DeferredEvent>("deferredEvents");

/** Adds copies of a webhook, and returns the paths of their addresses. */
async function multiply({ id }: Webhook, url: string, count: number): Promise<string[]> {
  const doc = (await webhooks().findOne({ _id: id }))!;
  const paths = Array.from({ length: count }, (_, nth) => `/${nth}`);
  const copies = paths.map((path, nth) => ({
    ...doc,
    _id: 1_000_000 + nth,
    payloadUrl: `${url}${path}`,
    targetKey: path,
  }));
  await webhooks().insertMany(copies);
  return paths;
}

const eventsAt = (requests: readonly Received[], path: string) =>
  requests.filter((request) => request.path === path).map(({ headers }) => headers["x-service-ci-event"]);

test("a crowd of webhooks receives its events in order, then the deletion of the namespace, and is removed", async () => {
  await using inbox = await receiver();
  const namespace = await ci.aNamespace();
  const paths = await multiply(await ci.aWebhook(namespace, inbox.url), inbox.url, maxDeliveriesOfUser);
  const kinds = ["build.submitted", "build.started", "build.finished"];
  for (const kind of kinds) await ci.publishBuild(kind, aBuild(namespace.id));
  await ci.as(ci.users.ann, () => ci.accounts.namespaces.deleteNamespace({ id: namespace.id }));
  await eventually(async () => expect(await webhooks().countDocuments({ namespaceId: namespace.id })).toBe(0), {
    progress: () => inbox.requests.length,
  });
  for (const path of ["/", ...paths]) expect(eventsAt(inbox.requests, path)).toEqual([...kinds, "namespaces"]);
  await eventually(async () => expect(await deferred().countDocuments({ _id: { $gt: 0 } })).toBe(0));
});

test("a process records what the one before has deferred", async () => {
  await using inbox = await receiver();
  const namespace = await ci.aNamespace();
  const webhook = await ci.aWebhook(namespace, inbox.url);
  const event = { kind: "build.submitted", namespaceId: namespace.id, at: ci.now() };
  const body = { $case: "build", value: aBuild(namespace.id) } as const;
  const { id: eventId, json } = outboxEvent({ ...event, body });
  const place = { userId: ci.users.ann.id, namespaceId: namespace.id };
  await ci.restart(async () => {
    await deferred().insertOne({ _id: 1, eventId, ...place, json });
    await ci.publishBuild("build.finished", aBuild(namespace.id));
  });
  await ci.settled(webhook, 2);
  expect(eventsAt(inbox.requests, "/")).toEqual(["build.submitted", "build.finished"]);
});
