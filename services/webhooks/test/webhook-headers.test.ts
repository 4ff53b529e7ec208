import { rotateSecrets } from "@ci/kit/security/rotate";
import type { UpdateWebhookRequest, Webhook } from "@ci/proto/webhooks/v1/webhooks";
import { eventually } from "@ci/testkit/eventually";
import { keysNamedIn, rotation } from "@ci/testkit/keys";
import { limitOf } from "@ci/testkit/quotas";
import { type Answer, receiver } from "@ci/testkit/receiver";
import { start } from "../src/service.js";
import { deliveryStore } from "../src/store/deliveries.js";
import type { DeliveryDoc } from "../src/store/delivery-doc.js";
import { encryptedFields } from "../src/store/encrypted-secrets.js";
import type { WebhookDoc } from "../src/store/webhook-doc.js";
import { webhookStore } from "../src/store/webhooks.js";
import { aBuild, bootWebhooks } from "./_suite.js";

/** Runs after a webhook is read for a change, before the change is stored. */
let meanwhile = async () => {};
const pauseMs = 3_600_000;
const ci = bootWebhooks({ keyring: rotation.before, pausesMs: [pauseMs], patchWaitMs: 600_000 });

const docs = () => ci.db.collection<WebhookDoc>("webhooks");
const stored = async ({ id }: Webhook) => (await docs().findOne({ _id: id }))!;

const put = ({ namespaceId, id }: Webhook, headers: Readonly<Record<string, string>>, client = ci.webhooks) => {
  const list = Object.entries(headers).map(([name, value]) => ({ name, value }));
  return ci.as(ci.users.bob, () => client.setWebhookHeaders({ namespaceId, id, headers: { headers: list } }));
};
const update = ({ namespaceId, id }: Webhook, changes: Partial<UpdateWebhookRequest>, user = ci.users.bob) =>
  ci.as(user, () => ci.webhooks.updateWebhook({ namespaceId, id, removeSecret: false, ...changes }));
const publish = ({ namespaceId }: Webhook) => ci.publishBuild("build.submitted", aBuild(namespaceId));

async function aWebhook(url: string, headers: Readonly<Record<string, string>> = { "X-Key": "first" }) {
  const webhook = await ci.aWebhook(await ci.aNamespace(), url);
  await put(webhook, headers);
  return webhook;
}

async function restart(keyring: typeof rotation.before) {
  Object.assign(ci.config, { keyring });
  await ci.restart();
}
afterEach(async () => {
  meanwhile = async () => {};
  if (ci.config.keyring !== rotation.before) await restart(rotation.before);
});

/** Starts another replica, which runs `meanwhile` between the read and the change of a webhook. */
async function slowReplica() {
  const store = webhookStore(ci.db, docs(), limitOf("Webhooks", "user"));
  const setHeaders: typeof store.setHeaders = async (...args) => {
    await meanwhile();
    return store.setHeaders(...args);
  };
  return start(ci.config, { now: ci.now, webhooks: { ...store, setHeaders } });
}

test("the farewell of a deleted namespace carries the headers", async () => {
  await using inbox = await receiver();
  const webhook = await aWebhook(inbox.url);
  await ci.as(ci.users.ann, () => ci.accounts.namespaces.deleteNamespace({ id: webhook.namespaceId }));
  await eventually(() => expect(inbox.requests).toHaveLength(1));
  expect(inbox.requests[0]!.headers).toMatchObject({ "x-service-ci-event": "namespaces", "x-key": "first" });
});

test("a retry carries the headers of its time, and the log has neither names nor values", async () => {
  let status = 500;
  await using inbox = await receiver({ answer: () => ({ status }) });
  const webhook = await aWebhook(inbox.url, { "X-Key": "first", "X-Old": "old" });
  await publish(webhook);
  await eventually(async () => expect(await ci.deliveries(webhook)).toMatchObject([{ attemptCount: 1 }]));
  await put(webhook, { "X-Key": "second" });
  status = 200;
  ci.advanceClock(2 * pauseMs);
  await ci.settled(webhook, 1);
  expect(inbox.requests.map(({ headers }) => [headers["x-key"], headers["x-old"]])).toEqual([
    ["first", "old"],
    ["second", undefined],
  ]);
  const { id: webhookId } = webhook;
  const log = await ci.db
    .collection("deliveries")
    .find({ webhookId, _id: { $gt: 0 } } as object)
    .toArray();
  expect(JSON.stringify(log)).not.toMatch(/x-key|first|second/i);
});

test("the log hides what a receiver repeats", async () => {
  const answer: Answer = { status: 200, headers: { "X-Seen": "Bearer abcdef" }, body: "got abcdef" };
  await using inbox = await receiver({ answer: () => answer });
  const webhook = await aWebhook(inbox.url, { Authorization: "Bearer abcdef" });
  await publish(webhook);
  const [delivery] = await ci.settled(webhook, 1);
  expect(delivery!.response).toMatchObject({ headers: { "x-seen": "xxxxxx" }, body: "got xxxxxx" });
});

test("the change waits for first attempts, and the next event has the new headers", async () => {
  const waiting: ((answer: Answer) => void)[] = [];
  await using inbox = await receiver({ answer: () => new Promise((done) => waiting.push(done)) });
  const webhook = await aWebhook(inbox.url);
  const deliveries = deliveryStore(ci.db.collection<DeliveryDoc>("deliveries"));
  let looks = 0;
  const hasFirstPending = (id: number) => {
    looks++;
    return deliveries.hasFirstPending(id);
  };
  await using replica = await start(ci.config, { now: ci.now, deliveries: { ...deliveries, hasFirstPending } });
  for (let nth = 0; nth < 2; nth++) await publish(webhook);
  await eventually(async () => expect(await ci.deliveries(webhook)).toHaveLength(2));
  await eventually(() => expect(waiting).toHaveLength(1));
  const changed = put(webhook, { "X-Key": "second" }, ci.clientTo(replica));
  await eventually(() => expect(looks).toBeGreaterThan(2));
  waiting[0]!({ status: 200 });
  await eventually(() => expect(waiting).toHaveLength(2));
  waiting[1]!({ status: 200 });
  expect(await changed).toEqual({ names: ["X-Key"] });
  await publish(webhook);
  await eventually(() => expect(waiting).toHaveLength(3));
  waiting[2]!({ status: 200 });
  expect(inbox.requests.map(({ headers }) => headers["x-key"])).toEqual(["first", "first", "second"]);
});

test("a process that takes over repeats the interrupted attempt with the headers", async () => {
  let stalled = true;
  await using inbox = await receiver({ answer: () => (stalled ? new Promise<Answer>(() => {}) : { status: 200 }) });
  const webhook = await aWebhook(inbox.url);
  await publish(webhook);
  await eventually(() => expect(inbox.requests).toHaveLength(1));
  await ci.restart(async () => {
    stalled = false;
  });
  await ci.settled(webhook, 1);
  expect(inbox.requests.map(({ headers }) => headers["x-key"])).toEqual(["first", "first"]);
});

test("a value whose encryption key is missing fails the attempt, and nothing goes out", async () => {
  await using inbox = await receiver();
  const webhook = await aWebhook(inbox.url);
  await restart(rotation.after);
  await publish(webhook);
  const failed = { attemptCount: 1, status: "pending", attempts: [{ error: "header cannot be read" }] };
  await eventually(async () => expect(await ci.deliveries(webhook)).toMatchObject([failed]));
  expect(inbox.requests).toEqual([]);
  expect(await put(webhook, { "X-Key": "second" })).toEqual({ names: ["X-Key"] });
  ci.advanceClock(2 * pauseMs);
  await ci.settled(webhook, 1);
  expect(inbox.requests.map(({ headers }) => headers["x-key"])).toEqual(["second"]);
});

test("rotation re-encrypts the values, and a change meanwhile does not bring the old key back", async () => {
  await using inbox = await receiver();
  const webhook = await aWebhook(inbox.url, { "X-Key": "first", "X-Other": "other" });
  const keysOf = async () => keysNamedIn(JSON.stringify(await stored(webhook)));
  expect(await keysOf()).toEqual(["old"]);
  Object.assign(ci.config, { keyring: rotation.during });
  await using replica = await slowReplica();
  meanwhile = async () => void (await rotateSecrets(ci.db, rotation.during, encryptedFields));
  await put(webhook, { "X-Key": "xxxxxx", "X-Other": "changed" }, ci.clientTo(replica));
  expect(await keysOf()).toEqual(["new"]);
  expect(await rotateSecrets(ci.db, rotation.during, encryptedFields)).toEqual({ renewed: 0, left: new Map() });
  await restart(rotation.after);
  await publish(webhook);
  await ci.settled(webhook, 1);
  expect(inbox.requests[0]!.headers).toMatchObject({ "x-key": "first", "x-other": "changed" });
});

test("headers for an address that another member replaces meanwhile are not stored", async () => {
  await using inbox = await receiver();
  await using other = await receiver();
  const webhook = await aWebhook(inbox.url);
  await using replica = await slowReplica();
  meanwhile = async () => void (await update(webhook, { payloadUrl: other.url }, ci.users.ann));
  await expect(put(webhook, { "X-Key": "second" }, ci.clientTo(replica))).rejects.toMatchObject({
    fields: { headers: ["Headers cannot be stored, because the address of the webhook has just changed"] },
  });
  expect(await stored(webhook)).not.toHaveProperty("headers");
});

test("an address that an earlier version has changed does not get the headers", async () => {
  await using inbox = await receiver();
  await using other = await receiver();
  const webhook = await aWebhook(inbox.url);
  await docs().updateOne({ _id: webhook.id }, { $set: { payloadUrl: other.url }, $inc: { revision: 1 } });
  await publish(webhook);
  await ci.settled(webhook, 1);
  expect(other.requests).toMatchObject([{ headers: { "x-service-ci-event": "build.submitted" } }]);
  expect(other.requests[0]!.headers).not.toHaveProperty("x-key");
  const { namespaceId, id } = webhook;
  expect(await ci.as(ci.users.bob, () => ci.webhooks.getWebhookHeaders({ namespaceId, id }))).toEqual({ names: [] });
});

test("a header that a later setting reserves is not sent", async () => {
  await using inbox = await receiver();
  const webhook = await aWebhook(inbox.url, { "x-ours-event": "mine", "X-Key": "first" });
  Object.assign(ci.config, { headerPrefix: "X-Ours" });
  await ci.restart();
  await publish(webhook);
  await ci.settled(webhook, 1);
  Object.assign(ci.config, { headerPrefix: "X-Service-CI" });
  await ci.restart();
  expect(inbox.requests[0]!.headers).toMatchObject({ "x-ours-event": "build.submitted", "x-key": "first" });
});

test("outsiders have no access", async () => {
  const webhook = await aWebhook("http://example.com/in");
  const { namespaceId, id } = webhook;
  const asEve = <T>(call: () => Promise<T>) =>
    expect(ci.as(ci.users.eve, call)).rejects.toMatchObject({ code: "not_found" });
  await asEve(() => ci.webhooks.getWebhookHeaders({ namespaceId, id }));
  await asEve(() => ci.webhooks.setWebhookHeaders({ namespaceId, id, headers: { headers: [] } }));
  await asEve(() => ci.webhooks.countDeliveries({ namespaceId, webhookId: id }));
});
