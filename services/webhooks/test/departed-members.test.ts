import { outboxEvent } from "@ci/kit/mongo/document";
import type { User } from "@ci/proto/namespaces/v1/accounts";
import type { Namespace } from "@ci/proto/namespaces/v1/namespaces";
import type { UpdateWebhookRequest, Webhook } from "@ci/proto/webhooks/v1/webhooks";
import { eventually } from "@ci/testkit/eventually";
import { receiver } from "@ci/testkit/receiver";
import { findDeparted } from "../src/loops/find-departed.js";
import { deliveryStore } from "../src/store/deliveries.js";
import type { DeliveryDoc } from "../src/store/delivery-doc.js";
import type { WebhookDoc } from "../src/store/webhook-doc.js";
import { webhookStore } from "../src/store/webhooks.js";
import { aBuild, bootWebhooks } from "./_suite.js";

let nextId = 1;
/** Runs after the checks of a request that creates a webhook, before it is stored. */
let meanwhile = async () => {};
const newWebhookId = async () => {
  await meanwhile();
  return nextId++;
};
const ci = bootWebhooks({ pausesMs: [3_600_000] }, { newWebhookId });

const remove = ({ id }: Namespace, user: User = ci.users.bob) =>
  ci.as(ci.users.ann, () => ci.accounts.namespaces.removeCollaborator({ namespaceId: id, handle: user.username }));

async function join({ id }: Namespace, user: User = ci.users.bob): Promise<void> {
  const request = { namespaceId: id, handle: user.username };
  const { invite } = await ci.as(ci.users.ann, () => ci.accounts.namespaces.sendInvite(request));
  await ci.as(user, () => ci.accounts.namespaces.acceptInvite({ id: invite!.id }));
}

const create = (user: User, namespace: Namespace, path: string) => {
  const fields = { payloadUrl: `http://example.com/${path}`, secret: "", ssl: false, events: [] };
  const request = { namespaceId: namespace.id, ...fields };
  return ci.as(user, async () => (await ci.webhooks.createWebhook(request)).webhook!);
};

const update = ({ namespaceId, id }: Webhook, changes: Partial<UpdateWebhookRequest>, user = ci.users.ann) =>
  ci.as(user, () => ci.webhooks.updateWebhook({ namespaceId, id, removeSecret: false, ...changes }));

/** Reads a webhook as the namespace's owner. */
const read = ({ namespaceId, id }: Webhook) =>
  ci.as(ci.users.ann, async () => (await ci.webhooks.getWebhook({ namespaceId, id })).webhook!);

const becomesDeparted = (webhook: Webhook) =>
  eventually(async () => expect(await read(webhook)).toMatchObject({ active: false, departed: true }));

const publishDeparture = (rootId: number, at: Date) =>
  ci.publishMessage(
    outboxEvent({
      ...{ kind: "collaborators", at },
      body: { $case: "collaborator", value: { action: "deleted", rootId, userId: ci.users.bob.id } },
    }),
  );

/** Waits until all departures published so far are applied: their reader takes them one after another. */
async function departuresApplied(): Promise<void> {
  const namespace = await ci.aNamespace();
  const webhook = await create(ci.users.bob, namespace, "last");
  await remove(namespace);
  await becomesDeparted(webhook);
}

const stored = () => ci.db.collection<WebhookDoc>("webhooks");

/** Looks for departures whose events NATS lost. */
const findLost = () =>
  findDeparted({
    webhooks: webhookStore(ci.db, stored(), ci.config.webhooksPerUser),
    deliveries: deliveryStore(ci.db.collection<DeliveryDoc>("deliveries")),
    uncachedAccounts: ci.accounts.accounts,
    now: ci.now,
  });

test("a deleted namespace says farewell to the webhooks of its collaborators", async () => {
  await using inbox = await receiver();
  const namespace = await ci.aNamespace();
  const webhook = await ci.aWebhook(namespace, inbox.url);
  await ci.as(ci.users.ann, () => ci.accounts.namespaces.deleteNamespace({ id: namespace.id }));
  const found = () => ci.db.collection<{ _id: number }>("webhooks").countDocuments({ _id: webhook.id });
  await eventually(async () => expect(await found()).toBe(0));
  expect(inbox.requests.map(({ headers }) => headers["x-service-ci-event"])).toEqual(["namespaces"]);
});

test("the webhooks of a removed collaborator are deactivated in the whole tree, and their retries cancelled", async () => {
  await using inbox = await receiver({ answer: () => ({ status: 500 }) });
  const { ann, bob } = ci.users;
  const root = await ci.aNamespace();
  const child = await ci.accounts.aNamespace(ann, `${root.path}/web`);
  const failing = await ci.aWebhook(root, inbox.url);
  await ci.publishBuild("build.submitted", aBuild(root.id));
  await eventually(async () => expect(await ci.deliveries(failing)).toMatchObject([{ attemptCount: 1 }]));
  const below = await create(bob, child, "below");
  const elsewhere = await create(bob, await ci.aNamespace(), "elsewhere");
  const owners = await create(ann, root, "owner");
  await remove(root);
  for (const webhook of [failing, below]) await becomesDeparted(webhook);
  for (const webhook of [elsewhere, owners])
    expect(await read(webhook)).toMatchObject({ active: true, departed: undefined });
  await eventually(async () =>
    expect(await ci.db.collection("deliveries").findOne({ webhookId: failing.id, eventId: { $gt: "" } })).toMatchObject(
      {
        status: "cancelled",
      },
    ),
  );
});

test("a deleted user's webhooks in the namespaces of others are deactivated", async () => {
  const dora = await ci.accounts.aUser("dora");
  const namespace = await ci.aNamespace();
  await join(namespace, dora);
  const webhook = await create(dora, namespace, "dora");
  const others = await create(ci.users.bob, namespace, "bob");
  await ci.deleteUser("dora");
  await becomesDeparted(webhook);
  expect((await read(others)).active).toBe(true);
});

test("whoever activates such a webhook answers for it from then on", async () => {
  const namespace = await ci.aNamespace();
  const webhook = await create(ci.users.bob, namespace, "in");
  await remove(namespace);
  await becomesDeparted(webhook);
  await update(webhook, { active: true });
  expect(await read(webhook)).toMatchObject({ active: true, departed: undefined, authorId: ci.users.bob.id });
  await join(namespace);
  await remove(namespace);
  await departuresApplied();
  expect((await read(webhook)).active).toBe(true);
});

test("a webhook that is inactive when its member leaves is taken over, too", async () => {
  const namespace = await ci.aNamespace();
  const webhook = await create(ci.users.bob, namespace, "off");
  await update(webhook, { active: false });
  await remove(namespace);
  await becomesDeparted(webhook);
  await update(webhook, { active: true });
  await join(namespace);
  await remove(namespace);
  await departuresApplied();
  expect((await read(webhook)).active).toBe(true);
});

test("whoever chooses the address answers for the webhook, not its author", async () => {
  const { ann, bob } = ci.users;
  const namespace = await ci.aNamespace();
  const toBob = await create(ann, namespace, "one");
  await update(toBob, { payloadUrl: "http://example.com/to-bob" }, bob);
  const toAnn = await create(bob, namespace, "two");
  await update(toAnn, { payloadUrl: "http://example.com/to-ann" });
  const renamed = await create(bob, namespace, "three");
  await update(renamed, { secret: "new" });
  await remove(namespace);
  for (const webhook of [toBob, renamed]) await becomesDeparted(webhook);
  await departuresApplied();
  expect((await read(toAnn)).active).toBe(true);
});

test("a departure that arrives late or again spares what was activated since, and members who are back", async () => {
  const namespace = await ci.aNamespace();
  const back = await create(ci.users.bob, namespace, "back");
  await publishDeparture(namespace.id, ci.now());
  const other = await ci.aNamespace();
  const activated = await create(ci.users.bob, other, "activated");
  await update(activated, { active: false });
  await remove(other);
  await departuresApplied();
  // In earlier versions an activation left the webhook to its author.
  const before = ci.now();
  ci.advanceClock(1_001);
  const set = { active: true, activeSince: ci.now() };
  await stored().updateOne({ _id: activated.id }, { $set: set, $unset: { departed: true, keeperId: true } });
  await publishDeparture(other.id, before);
  await departuresApplied();
  expect((await read(back)).active).toBe(true);
  expect((await read(activated)).active).toBe(true);
  await publishDeparture(other.id, new Date(ci.now().getTime() - 1));
  await becomesDeparted(activated);
});

test("a webhook that is stored after its author was removed is deactivated at once", async () => {
  const namespace = await ci.aNamespace();
  meanwhile = async () => {
    meanwhile = async () => {};
    await remove(namespace);
    await departuresApplied();
  };
  const webhook = await create(ci.users.bob, namespace, "late");
  expect(await read(webhook)).toMatchObject({ active: false, departed: true });
});

test("a webhook of an earlier version is spared if its member had already left, but not if they leave later", async () => {
  const [before, after] = [await ci.aNamespace(), await ci.aNamespace()];
  const left = await create(ci.users.bob, before, "left");
  const stays = await create(ci.users.bob, after, "stays");
  await remove(before);
  await departuresApplied();
  const ids = { _id: { $in: [left.id, stays.id] } };
  await stored().updateMany(ids, { $set: { active: true }, $unset: { keeperId: true, departed: true } });
  const revisionOf = async () => (await stored().findOne({ _id: stays.id }))?.revision;
  const revision = await revisionOf();
  await findLost();
  expect(await revisionOf()).toBe(revision);
  await remove(after);
  await departuresApplied();
  await stored().updateMany(ids, { $set: { active: true }, $unset: { departed: true } });
  await findLost();
  expect(await read(left)).toMatchObject({ active: true, departed: undefined });
  expect(await read(stays)).toMatchObject({ active: false, departed: true });
});

test("an inactive webhook is marked or taken over although the event of the departure is late or lost", async () => {
  const namespace = await ci.aNamespace();
  const webhook = await create(ci.users.bob, namespace, "off");
  await update(webhook, { active: false });
  await remove(namespace);
  await departuresApplied();
  const forget = () => stored().updateOne({ _id: webhook.id }, { $unset: { departed: true } });
  await forget();
  await findLost();
  expect(await read(webhook)).toMatchObject({ active: false, departed: true });
  await forget();
  await update(webhook, { active: true });
  await findLost();
  await publishDeparture(namespace.id, ci.now());
  await departuresApplied();
  expect(await read(webhook)).toMatchObject({ active: true, departed: undefined });
});
