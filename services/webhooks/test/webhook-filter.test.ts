import type { Build } from "@ci/proto/builds/v1/builds";
import type { Namespace } from "@ci/proto/namespaces/v1/namespaces";
import type { Filter, UpdateWebhookRequest, Webhook } from "@ci/proto/webhooks/v1/webhooks";
import { eventually } from "@ci/testkit/eventually";
import { type Received, receiver } from "@ci/testkit/receiver";
import type { PayloadDoc } from "../src/store/payloads.js";
import type { StreamDoc } from "../src/store/stream.js";
import type { WebhookDoc } from "../src/store/webhook-doc.js";
import { aBuild, bootWebhooks } from "./_suite.js";

const ci = bootWebhooks();

const events = ["build.finished"];
const filterOf = (paths: Readonly<Record<string, readonly unknown[]>>): Filter => ({
  conditions: Object.entries(paths).map(([path, values]) => ({ path, values })),
});
const failed = filterOf({ status: ["failed", "killed"] });
const numberOf = ({ body }: Received): number => JSON.parse(body.toString()).number;
const finish = ({ id }: Pick<Namespace, "id">, number: number, fields: Partial<Build>) =>
  ci.publishBuild("build.finished", aBuild(id, { id: number, number, ...fields }));
const update = async ({ namespaceId, id }: Webhook, changes: Partial<UpdateWebhookRequest>) => {
  const request = { namespaceId, id, removeSecret: false, ...changes };
  return (await ci.as(ci.users.bob, () => ci.webhooks.updateWebhook(request))).webhook!;
};
const replay = ({ namespaceId, id: webhookId }: Webhook) =>
  ci.as(ci.users.bob, () => ci.webhooks.replayMissed({ namespaceId, webhookId, since: new Date(0) }));
const recorded = ({ id: namespaceId }: Namespace, count: number) =>
  eventually(async () => {
    const stream = ci.db.collection<StreamDoc>("stream");
    expect(await stream.countDocuments({ namespaceId, kind: "build.finished" })).toBe(count);
  });

test("only events that meet all conditions are delivered, also while others have no filter", async () => {
  await using inbox = await receiver();
  await using other = await receiver();
  const namespace = await ci.aNamespace();
  const onMain = filterOf({ ...{ status: ["failed", "killed"] }, "trigger.data.ref": ["refs/heads/main"] });
  const webhook = await ci.aWebhook(namespace, inbox.url, { events, filter: onMain });
  const all = await ci.aWebhook(namespace, other.url, { events });
  const pushed = (ref: string) => ({ trigger: { type: "push" as const, comment: "", data: { ref } } });
  await finish(namespace, 1, { status: "failed", ...pushed("refs/heads/main") });
  await finish(namespace, 2, { status: "passed", ...pushed("refs/heads/main") });
  await finish(namespace, 3, { status: "failed", ...pushed("refs/heads/next") });
  await finish(namespace, 4, { status: "failed" });
  await finish(namespace, 5, { status: "killed", ...pushed("refs/heads/main") });
  await ci.settled(all, 5);
  const deliveries = await ci.settled(webhook, 2);
  expect(inbox.requests.map(numberOf)).toEqual([1, 5]);
  expect(other.requests.map(numberOf)).toEqual([1, 2, 3, 4, 5]);
  const bodies = (await ci.deliveries(all)).map(({ request }) => request!.payload);
  expect(deliveries.map(({ request }) => request!.payload)).toEqual([bodies[0], bodies[4]]);
});

test("a payload that only one of two webhooks wants is not stored for sharing", async () => {
  await using inbox = await receiver();
  const namespace = await ci.aNamespace();
  const webhook = await ci.aWebhook(namespace, inbox.url, { events });
  await ci.aWebhook(namespace, `${inbox.url}/other`, { events, filter: filterOf({ status: ["killed"] }) });
  const manifest = `# for one of two ${"x".repeat(5_000)}`;
  await finish(namespace, 1, { status: "failed", manifest });
  await ci.settled(webhook, 1);
  const stored = ci.db.collection<PayloadDoc>("payloads");
  const shared = () => stored.countDocuments({ _id: { $gt: "" }, text: /for one of two/ });
  expect(await shared()).toBe(0);
  await finish(namespace, 2, { status: "killed", manifest });
  await ci.settled(webhook, 2);
  expect(await shared()).toBe(1);
});

test("every type of value is kept and matched", async () => {
  await using inbox = await receiver();
  const namespace = await ci.aNamespace();
  const filter = filterOf({ pinned: [true], reason: [null, "x"], number: [2, 3], "namespace.path": [namespace.path] });
  const webhook = await ci.aWebhook(namespace, inbox.url, { events, filter });
  expect([webhook.filter, (await ci.read(webhook)).filter]).toEqual([filter, filter]);
  await finish(namespace, 1, { pinned: true });
  await finish(namespace, 2, { pinned: false });
  await finish(namespace, 3, { pinned: true });
  await ci.settled(webhook, 1);
  expect(inbox.requests.map(numberOf)).toEqual([3]);
});

test("a change holds for later events, and leaves what has a delivery alone", async () => {
  await using inbox = await receiver();
  const namespace = await ci.aNamespace();
  const webhook = await ci.aWebhook(namespace, inbox.url, { events });
  await finish(namespace, 1, { status: "passed" });
  const [first] = await ci.settled(webhook, 1);
  expect((await update(webhook, { filter: failed })).filter).toEqual(failed);
  expect((await update(webhook, { secret: "s", ssl: false })).filter).toEqual(failed);
  await finish(namespace, 2, { status: "passed" });
  await finish(namespace, 3, { status: "failed" });
  await ci.settled(webhook, 2);
  const { namespaceId, id: webhookId } = webhook;
  await ci.as(ci.users.bob, () => ci.webhooks.redeliver({ namespaceId, webhookId, id: first!.id }));
  await eventually(() => expect(inbox.requests.map(numberOf)).toEqual([1, 3, 1]));
  expect((await update(webhook, { filter: { conditions: [] } })).filter).toBeUndefined();
  await finish(namespace, 4, { status: "passed" });
  await ci.settled(webhook, 3);
  expect(inbox.requests.map(numberOf)).toEqual([1, 3, 1, 4]);
});

test("a replay sends and counts only what passes the filter", async () => {
  await using inbox = await receiver();
  const namespace = await ci.aNamespace();
  for (const [nth, status] of (["failed", "passed", "passed", "killed", "passed"] as const).entries())
    await finish(namespace, nth + 1, { status });
  await recorded(namespace, 5);
  const webhook = await ci.aWebhook(namespace, inbox.url, { events, filter: failed });
  expect(await replay(webhook)).toEqual({ count: 2, atLeast: false });
  await ci.settled(webhook, 2);
  expect(inbox.requests.map(numberOf)).toEqual([1, 4]);
  expect(await replay(webhook)).toEqual({ count: 0, atLeast: false });
  const webhooks = ci.db.collection<WebhookDoc>("webhooks");
  await eventually(async () => expect(await webhooks.findOne({ _id: webhook.id })).not.toHaveProperty("replay"));
  await update(webhook, { filter: filterOf({ status: ["passed"] }) });
  expect(await replay(webhook)).toEqual({ count: 3, atLeast: false });
  await ci.settled(webhook, 5);
  expect(inbox.requests.map(numberOf)).toEqual([1, 4, 2, 3, 5]);
});

test("the answer to a replay reads a MiB of payloads, and says that there may be more", async () => {
  await using inbox = await receiver();
  const namespace = await ci.aNamespace();
  const manifest = "x".repeat(400_000);
  for (const number of [1, 2, 3]) await finish(namespace, number, { status: "failed", manifest });
  await recorded(namespace, 3);
  const webhook = await ci.aWebhook(namespace, inbox.url, { events, filter: failed });
  expect(await replay(webhook)).toEqual({ count: 2, atLeast: true });
  await ci.settled(webhook, 3);
  expect(inbox.requests.map(numberOf)).toEqual([1, 2, 3]);
});

test("the answer to a replay counts events that are older than one with a long payload", async () => {
  const namespace = await ci.aNamespace();
  for (const [nth, length] of [10, 600_000, 600_000, 10].entries())
    await finish(namespace, nth + 1, { status: "failed", manifest: "x".repeat(length) });
  await recorded(namespace, 4);
  await using inbox = await receiver();
  const webhook = await ci.aWebhook(namespace, inbox.url, { events, filter: failed });
  expect(await replay(webhook)).toEqual({ count: 3, atLeast: true });
});

test("a test arrives although no event passes the filter", async () => {
  await using inbox = await receiver();
  const namespace = await ci.aNamespace();
  const webhook = await ci.aWebhook(namespace, inbox.url, { events, filter: filterOf({ status: ["killed"] }) });
  const request = { namespaceId: namespace.id, webhookId: webhook.id, event: "" };
  await ci.as(ci.users.bob, () => ci.webhooks.testWebhook(request));
  await ci.settled(webhook, 1);
  expect(JSON.parse(inbox.requests[0]!.body.toString()).status).toBe("passed");
});

test("a webhook whose filter excludes the end of its namespace goes without a farewell", async () => {
  await using inbox = await receiver();
  const namespace = await ci.aNamespace();
  const webhook = await ci.aWebhook(namespace, inbox.url, { filter: filterOf({ action: ["created"] }) });
  await ci.as(ci.users.ann, () => ci.accounts.namespaces.deleteNamespace({ id: namespace.id }));
  const webhooks = ci.db.collection<WebhookDoc>("webhooks");
  await eventually(async () => expect(await webhooks.findOne({ _id: webhook.id })).toBeNull());
  expect(inbox.requests).toEqual([]);
});

describe("invalid", () => {
  const wrong = { filter: [expect.stringMatching(/^Filter path build\.status is in none of the webhook's events/)] };

  test("stores no webhook with a path that its events lack", async () => {
    const namespace = await ci.aNamespace();
    const filter = filterOf({ "build.status": ["failed"] });
    const made = ci.aWebhook(namespace, "http://a.test", { events, filter });
    await expect(made).rejects.toMatchObject({ code: "invalid", fields: wrong });
    const listed = () => ci.webhooks.listWebhooks({ namespaceId: namespace.id, page: undefined });
    expect((await ci.as(ci.users.bob, listed)).webhooks).toEqual([]);
  });

  test("changes neither a filter nor the events so that they do not fit", async () => {
    const filter = filterOf({ "build.status": ["failed"] });
    const webhook = await ci.aWebhook(await ci.aNamespace(), "http://a.test", { events: ["build.tagged"], filter });
    await expect(update(webhook, { events: { names: events } })).rejects.toMatchObject({ fields: wrong });
    await expect(update(webhook, { filter: filterOf({ status: ["failed"] }) })).rejects.toMatchObject({
      fields: { filter: [expect.stringMatching(/^Filter path status is in none/)] },
    });
    expect(await ci.read(webhook)).toMatchObject({ events: ["build.tagged"], filter });
    const both = await update(webhook, { events: { names: events }, filter: failed });
    expect(both).toMatchObject({ events, filter: failed });
  });
});
