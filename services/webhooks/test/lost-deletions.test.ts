import { connectBus } from "@ci/kit/bus/bus";
import { streamName } from "@ci/kit/bus/jetstream";
import { deletionsIn } from "@ci/kit/mongo/deletions";
import { createLog } from "@ci/kit/process/log";
import type { Deletion } from "@ci/proto/namespaces/v1/accounts";
import type { Namespace } from "@ci/proto/namespaces/v1/namespaces";
import { eventually } from "@ci/testkit/eventually";
import { limitOf } from "@ci/testkit/quotas";
import { receiver } from "@ci/testkit/receiver";
import { connect, type StreamAPI } from "nats";
import { learnDeletions } from "../src/events/learn-deletions.js";
import { type DeferredEvent, deferredEvent, deferredEventStore } from "../src/store/deferred-events.js";
import { deliveryStore } from "../src/store/deliveries.js";
import type { DeliveryDoc } from "../src/store/delivery-doc.js";
import type { WebhookDoc } from "../src/store/webhook-doc.js";
import { webhookStore } from "../src/store/webhooks.js";
import { bootWebhooks } from "./_suite.js";

const ci = bootWebhooks();

const storesOf = () => ({
  deletions: deletionsIn(ci.db, async () => undefined, ci.now),
  webhooks: webhookStore(ci.db, ci.db.collection<WebhookDoc>("webhooks"), limitOf("Webhooks", "user")),
  deliveries: deliveryStore(ci.db.collection<DeliveryDoc>("deliveries")),
  deferredEvents: deferredEventStore(ci.db.collection<DeferredEvent>("deferredEvents")),
});

const stored = (_id: number) => ci.db.collection<WebhookDoc>("webhooks").findOne({ _id });

async function published({ kind, id }: Pick<Deletion, "kind" | "id">): Promise<Deletion> {
  return eventually(async () => {
    const { deletions } = await ci.accounts.accounts.listDeletions({});
    const found = deletions.find((deletion) => deletion.kind === kind && deletion.id === id);
    if (!found || found.unpublished) throw new Error("not published yet");
    return found;
  });
}

const deleteNamespace = ({ id }: Namespace) =>
  ci.as(ci.users.ann, () => ci.accounts.namespaces.deleteNamespace({ id }));

async function withStreams(work: (streams: StreamAPI) => Promise<unknown>): Promise<void> {
  const nats = await connect({ servers: ci.names.natsUrl });
  await work((await nats.jetstreamManager()).streams).finally(() => nats.close());
}

const stream = () => streamName(ci.names.subjectPrefix);

const loseStream = () => withStreams((streams) => streams.delete(stream()));

const departurePublished = () =>
  withStreams((streams) =>
    eventually(async () => {
      const subject = `${ci.names.subjectPrefix}.events.collaborators`;
      const { data } = await streams.getMessage(stream(), { last_by_subj: subject });
      expect(Buffer.from(data).toString()).toContain('"action":"deleted"');
    }),
  );

test("webhooks of a deleted user are deactivated although NATS lost the event before they read it", async () => {
  const user = await ci.accounts.aUser("leaver");
  const namespace = await ci.accounts.aNamespace(user, "leaving");
  const request = { namespaceId: namespace.id, payloadUrl: "http://127.0.0.1:9/", secret: "", ssl: false, events: [] };
  const { webhook } = await ci.as(user, () => ci.webhooks.createWebhook(request));
  const update = { namespaceId: namespace.id, id: webhook!.id, payloadUrl: "http://127.0.0.1:9/changed", secret: "" };
  await ci.as(user, () => ci.webhooks.updateWebhook(update));
  await ci.restart(async () => {
    await ci.deleteUser(user.username);
    await published({ kind: "user", id: user.id });
    await loseStream();
  });
  await eventually(async () => expect(await stored(webhook!.id)).toMatchObject({ active: false }));
});

test("the webhooks of a removed collaborator are deactivated although NATS lost the event before they were read", async () => {
  const namespace = await ci.aNamespace();
  const other = await ci.aNamespace();
  const lost = await ci.aWebhook(namespace, "http://127.0.0.1:9/");
  const kept = await ci.aWebhook(other, "http://127.0.0.1:9/");
  await ci.restart(async () => {
    const request = { namespaceId: namespace.id, handle: ci.users.bob.username };
    await ci.as(ci.users.ann, () => ci.accounts.namespaces.removeCollaborator(request));
    await departurePublished();
    await loseStream();
  });
  await eventually(async () => expect(await stored(lost.id)).toMatchObject({ active: false, departed: true }));
  expect(await stored(kept.id)).toMatchObject({ active: true });
});

test("webhooks of a deleted namespace are removed although NATS lost the event before they read it", async () => {
  const namespace = await ci.aNamespace();
  const { id } = await ci.aWebhook(namespace, "http://127.0.0.1:9/");
  await ci.restart(async () => {
    await deleteNamespace(namespace);
    await published({ kind: "namespace", id: namespace.id });
    await loseStream();
  });
  await eventually(async () => expect(await stored(id)).toBeNull());
});

test("a webhook reports the deletion of its namespace although the service learns of it before the event", async () => {
  await using inbox = await receiver();
  await using bus = await connectBus(ci.names.natsUrl, ci.names.subjectPrefix, "test", createLog("test", "silent"));
  const stores = storesOf();
  const learn = learnDeletions(stores, bus);
  const namespace = await ci.aNamespace();
  const { id } = await ci.aWebhook(namespace, inbox.url);
  let deletion: Deletion;
  await ci.restart(async () => {
    await deleteNamespace(namespace);
    deletion = await published({ kind: "namespace", id: namespace.id });
    expect(await learn([deletion])).toEqual([deletion]);
    expect(await stores.deletions.missing([deletion])).toEqual([deletion]);
  });
  await eventually(async () => expect(await stored(id)).toBeNull());
  expect(inbox.requests.map(({ headers }) => headers["x-service-ci-event"])).toEqual(["namespaces"]);
  expect(await learn([deletion!])).toEqual([]);
});

test("a deletion of a namespace with deferred events is left for later", async () => {
  await using bus = await connectBus(ci.names.natsUrl, ci.names.subjectPrefix, "test", createLog("test", "silent"));
  const stores = storesOf();
  const deleted: Deletion = { kind: "namespace", id: 900_003, at: new Date(), unpublished: false };
  const event = { id: "x", kind: "cron", namespaceId: deleted.id, at: new Date(), body: undefined };
  await stores.deferredEvents.add([deferredEvent(1, 1, event)]);
  const learn = learnDeletions(stores, bus);
  await eventually(async () => expect(await learn([deleted])).toEqual([deleted]));
  expect(await stores.deletions.missing([deleted])).toEqual([deleted]);
  await stores.deferredEvents.remove([1]);
  expect(await learn([deleted])).toEqual([]);
  expect(await stores.deletions.missing([deleted])).toEqual([]);
});

test("a deletion whose event still waits in its outbox is left for later", async () => {
  await using bus = await connectBus(ci.names.natsUrl, ci.names.subjectPrefix, "test", createLog("test", "silent"));
  const stores = storesOf();
  const waiting: Deletion = { kind: "namespace", id: 900_001, at: new Date(), unpublished: true };
  const lost: Deletion = { kind: "namespace", id: 900_002, at: new Date(), unpublished: false };
  await eventually(async () => expect(await learnDeletions(stores, bus)([waiting, lost])).toEqual([waiting]));
  expect(await stores.deletions.missing([waiting, lost])).toEqual([waiting]);
});
