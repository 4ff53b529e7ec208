import { connectBus } from "@ci/kit/bus/bus";
import { outboxEvent } from "@ci/kit/mongo/document";
import { createLog } from "@ci/kit/process/log";
import type { Event } from "@ci/proto/events/v1/events";
import type { Namespace } from "@ci/proto/namespaces/v1/namespaces";
import { eventually } from "@ci/testkit/eventually";
import { type Received, receiver } from "@ci/testkit/receiver";
import { MongoClient } from "mongodb";
import { eventKinds } from "../src/domain/event-kinds.js";
import { aBuild, bootWebhooks, publicUrl } from "./_suite.js";

const ci = bootWebhooks();

const json = ({ body }: Received) => JSON.parse(body.toString());
const kindOf = ({ headers }: Received) => headers["x-service-ci-event"];

describe("events", () => {
  test("delivers every kind of event with its payload", async () => {
    await using inbox = await receiver();
    const { ann, bob } = ci.users;
    const namespace = await ci.aNamespace();
    const webhook = await ci.aWebhook(namespace, inbox.url);
    const at = new Date();
    const record = { id: 5, authorId: bob.id, userId: ann.id, namespaceId: namespace.id, name: "x", createdAt: at };
    const build = aBuild(namespace.id, { userId: bob.id });
    const invite = { id: 6, namespaceId: namespace.id, inviterId: ann.id, inviteeId: bob.id, createdAt: at };
    const file = { type: "text/plain", size: 1, md5: "aa", sha256: "bb" };
    const cron = { ...record, schedule: "daily" as const, manifest: "", nextRun: at };
    const cases: Record<string, [Event["body"], string[]]> = {};
    for (const kind of eventKinds.slice(0, 6)) cases[kind] = [{ $case: "build", value: build }, ["id", "manifest"]];
    for (const kind of eventKinds.slice(6, 9))
      cases[kind] = [{ $case: "invite", value: invite }, ["invitee", "namespace"]];
    cases["build.tagged"] = [
      { $case: "buildTagged", value: { build, tags: ["a"], userId: ann.id } },
      ["build", "tags", "url", "user"],
    ];
    cases.namespaces = [{ $case: "namespace", value: { action: "updated", namespace } }, ["action", "namespace"]];
    cases.cron = [{ $case: "cron", value: { action: "created", cron } }, ["action", "cron"]];
    cases.images = [{ $case: "image", value: { action: "created", image: record } }, ["action", "image"]];
    cases.objects = [
      { $case: "object", value: { action: "created", object: { ...record, ...file } } },
      ["action", "object"],
    ];
    cases.variables = [
      { $case: "variable", value: { action: "created", variable: { ...record, key: "K", value: "v", masked: false } } },
      ["action", "variable"],
    ];
    cases.ssh_keys = [
      { $case: "key", value: { action: "created", key: { ...record, config: "", updatedAt: at } } },
      ["action", "ssh_key", "key"],
    ];
    for (const kind of eventKinds) await ci.publish({ kind, namespaceId: namespace.id, body: cases[kind]![0] });
    await ci.settled(webhook, eventKinds.length);
    expect(inbox.requests.map(kindOf)).toEqual(eventKinds);
    for (const request of inbox.requests)
      expect(Object.keys(json(request))).toEqual(expect.arrayContaining(cases[kindOf(request) as string]![1]));
    const tagged = json(inbox.requests[3]!);
    expect(tagged).toMatchObject({ user: { username: "ann" }, build: { user: { username: "bob" } } });
    expect(json(inbox.requests[14]!)).toMatchObject({
      key: { author: { username: "bob" }, user: { username: "ann" } },
    });
  });

  test("delivers a changed namespace with its parent and its newest build", async () => {
    await using inbox = await receiver();
    const parent = await ci.aNamespace();
    const child = await ci.accounts.aNamespace(ci.users.ann, `${parent.path}/web`);
    ci.advanceClock(60_000);
    const webhook = await ci.aWebhook(child, inbox.url);
    ci.builds.push(aBuild(child.id, { id: 77, userId: ci.users.bob.id, number: 3 }));
    const request = { id: child.id, description: "new" };
    await ci.as(ci.users.ann, () => ci.accounts.namespaces.updateNamespace(request));
    await ci.settled(webhook, 1);
    expect(json(inbox.requests[0]!)).toMatchObject({
      action: "updated",
      namespace: {
        description: "new",
        parent: { path: parent.path },
        build: { id: 77, url: `${publicUrl}/b/bob/3`, namespace: { id: child.id } },
      },
    });
  });

  test("renders an event once, for its webhooks and for the stream of events", async () => {
    await using inbox = await receiver();
    const namespace = await ci.aNamespace();
    const webhook = await ci.aWebhook(namespace, inbox.url);
    await using mongo = new MongoClient(ci.names.mongoUrl);
    const stream = mongo.db(ci.config.mongoDb).collection("stream");
    const descriptions = ["one", "two", "three"];
    const asked = () => ci.buildRequests.filter((id) => id === namespace.id).length;
    const counts: number[] = [];
    for (const [index, description] of descriptions.entries()) {
      const before = asked();
      const update = { id: namespace.id, description };
      await ci.as(ci.users.ann, () => ci.accounts.namespaces.updateNamespace(update));
      await ci.settled(webhook, index + 1);
      const recorded = () => stream.countDocuments({ namespaceId: namespace.id, kind: "namespaces" });
      await eventually(async () => expect(await recorded()).toBe(index + 1));
      counts.push(asked() - before);
    }
    // On a machine that stalls, an event may be delivered once more.
    expect(Math.min(...counts)).toBe(1);
  });

  test("delivers an event once, even if it arrives twice", async () => {
    await using inbox = await receiver();
    const namespace = await ci.aNamespace();
    const webhook = await ci.aWebhook(namespace, inbox.url);
    const body = { $case: "build", value: aBuild(namespace.id) } as const;
    const { json: text, ...event } = outboxEvent({
      kind: "build.started",
      namespaceId: namespace.id,
      at: ci.now(),
      body,
    });
    await using bus = await connectBus(ci.names.natsUrl, ci.names.subjectPrefix, "test", createLog("test", "silent"));
    await bus.publish({ ...event, json: text });
    // Under another message id the bus stores it a second time, as it does after two minutes.
    await bus.publish({ ...event, id: "again", json: text });
    await ci.publishBuild("build.finished", aBuild(namespace.id));
    const deliveries = await ci.settled(webhook, 2);
    expect(deliveries.map(({ event: kind }) => kind)).toEqual(["build.started", "build.finished"]);
    expect(inbox.requests).toHaveLength(2);
  });

  test("does not deliver events from before the webhook's activation", async () => {
    await using inbox = await receiver();
    const namespace = await ci.aNamespace();
    const before = new Date(ci.now().getTime() - 1);
    const webhook = await ci.aWebhook(namespace, inbox.url);
    await using bus = await connectBus(ci.names.natsUrl, ci.names.subjectPrefix, "test", createLog("test", "silent"));
    const body = { $case: "build", value: aBuild(namespace.id) } as const;
    await bus.publish(outboxEvent({ kind: "build.started", namespaceId: namespace.id, at: before, body }));
    await ci.publishBuild("build.finished", aBuild(namespace.id));
    await ci.settled(webhook, 1);
    expect(inbox.requests.map(kindOf)).toEqual(["build.finished"]);
  });
});

describe("deletions", () => {
  const deleteNamespace = ({ id }: Namespace) =>
    ci.as(ci.users.ann, () => ci.accounts.namespaces.deleteNamespace({ id }));

  test("a deleted namespace sends one delivery to its webhooks, and they are removed", async () => {
    await using inbox = await receiver({ answer: ({ path }) => ({ status: path === "/parent" ? 200 : 500 }) });
    const parent = await ci.aNamespace();
    const child = await ci.accounts.aNamespace(ci.users.ann, `${parent.path}/web`);
    const grandchild = await ci.accounts.aNamespace(ci.users.ann, `${parent.path}/web/api`);
    const above = await ci.aWebhook(parent, `${inbox.url}/parent`);
    const own = await ci.aWebhook(child, `${inbox.url}/child`);
    const below = await ci.aWebhook(grandchild, `${inbox.url}/grandchild`);
    const inactive = await ci.aWebhook(child, `${inbox.url}/inactive`, { active: false });
    const otherEvents = await ci.aWebhook(child, `${inbox.url}/other-events`, { events: ["cron"] });
    await deleteNamespace(child);

    await ci.settled(above, 1);
    await using mongo = new MongoClient(ci.names.mongoUrl);
    const db = mongo.db(ci.config.mongoDb);
    const gone = [own, below, inactive, otherEvents].map(({ id }) => id);
    await eventually(async () => {
      expect(await db.collection<{ _id: number }>("webhooks").countDocuments({ _id: { $in: gone } })).toBe(0);
      expect(await db.collection("deliveries").countDocuments({ webhookId: { $in: gone } })).toBe(0);
    });
    const received = inbox.requests.map((request) => [
      request.path,
      json(request).action,
      json(request).namespace.path,
    ]);
    expect(received.toSorted()).toEqual(
      [
        ["/child", "deleted", child.path],
        ["/grandchild", "deleted", grandchild.path],
        ["/parent", "deleted", child.path],
      ].toSorted(),
    );
  });

  test("the webhooks of a deleted user are deactivated, and their pending deliveries cancelled", async () => {
    await using inbox = await receiver({ answer: () => ({ status: 500, headers: { "Retry-After": "3600" } }) });
    const carl = await ci.accounts.aUser("carl");
    const namespace = await ci.accounts.aNamespace(carl, "theirs");
    const request = { namespaceId: namespace.id, payloadUrl: inbox.url, secret: "", ssl: false, events: [] };
    const { webhook } = await ci.as(carl, () => ci.webhooks.createWebhook(request));
    const other = await ci.aWebhook(await ci.aNamespace(), `${inbox.url}/other`);
    await ci.publishBuild("build.submitted", aBuild(namespace.id));
    await eventually(() => expect(inbox.requests).toHaveLength(1));
    await ci.deleteUser("carl");
    await using mongo = new MongoClient(ci.names.mongoUrl);
    const db = mongo.db(ci.config.mongoDb);
    await eventually(async () => {
      expect(await db.collection<{ _id: number }>("webhooks").findOne({ _id: webhook!.id })).toMatchObject({
        active: false,
      });
      const found = await db.collection("deliveries").findOne({ webhookId: webhook!.id, eventId: { $gt: "" } });
      expect(found).toMatchObject({ status: "cancelled" });
    });
    expect((await ci.read(other)).active).toBe(true);
  });

  test("a user's deletion that arrives late spares what a collaborator has activated since", async () => {
    const { bob } = ci.users;
    const dora = await ci.accounts.aUser("dora");
    const namespace = await ci.accounts.aNamespace(dora, "theirs");
    const invite = { namespaceId: namespace.id, handle: bob.username };
    const { invite: sent } = await ci.as(dora, () => ci.accounts.namespaces.sendInvite(invite));
    await ci.as(bob, () => ci.accounts.namespaces.acceptInvite({ id: sent!.id }));
    const early = await ci.aWebhook(namespace, "http://example.com/early");
    const at = ci.now();
    ci.advanceClock(1);
    const late = await ci.aWebhook(namespace, "http://example.com/late");
    const deletion = { $case: "user", value: { action: "deleted", user: dora } } as const;
    await ci.publishMessage(outboxEvent({ kind: "users", at, body: deletion }));
    await eventually(async () => expect(await ci.read(early)).toMatchObject({ active: false, departed: true }));
    expect(await ci.read(late)).toMatchObject({ active: true, departed: undefined });
  });
});
