import { outboxEvent } from "@ci/kit/mongo/document";
import type { UpdateWebhookRequest, Webhook } from "@ci/proto/webhooks/v1/webhooks";
import { eventually } from "@ci/testkit/eventually";
import { type Answer, receiver } from "@ci/testkit/receiver";
import { eventKinds } from "../src/domain/event-kinds.js";
import { start } from "../src/service.js";
import { deliveryStore } from "../src/store/deliveries.js";
import type { DeliveryDoc } from "../src/store/delivery-doc.js";
import type { WebhookDoc } from "../src/store/webhook-doc.js";
import { webhookStore } from "../src/store/webhooks.js";
import { bodyDigest, verifies } from "./_signatures.js";
import { aBuild, bootWebhooks } from "./_suite.js";

const ci = bootWebhooks({ patchWaitMs: 600_000, pausesMs: [3_600_000] });

const update = async ({ namespaceId, id }: Webhook, changes: Partial<UpdateWebhookRequest>, user = ci.users.bob) => {
  const request = { namespaceId, id, removeSecret: false, ...changes };
  return (await ci.as(user, () => ci.webhooks.updateWebhook(request))).webhook!;
};
const aWebhook = async (url = "https://example.com/in", changes = {}) =>
  ci.aWebhook(await ci.aNamespace(), url, { events: ["cron"], ssl: url.startsWith("https:"), ...changes });

describe("succeeds", () => {
  test("keeps absent fields, and ignores an empty URL and an empty secret", async () => {
    const webhook = await aWebhook();
    expect(await update(webhook, {})).toEqual(webhook);
    expect(await update(webhook, { payloadUrl: "", secret: "" })).toEqual(webhook);
  });

  test("changes every given field; an empty list of events means all", async () => {
    const webhook = await aWebhook();
    const change = { payloadUrl: "http://example.com/other", ssl: false, active: false, events: { names: [] } };
    const changed = await update(webhook, change);
    expect(changed).toEqual({ ...webhook, ...change, events: eventKinds });
    expect(await ci.read(webhook)).toEqual(changed);
  });

  test("keeps an event that this version does not know, and a filter is judged by the known ones", async () => {
    const webhook = await aWebhook();
    const stored = { events: ["cron", "future.kind"] };
    await ci.db.collection<WebhookDoc>("webhooks").updateOne({ _id: webhook.id }, { $set: stored });
    expect(await update(webhook, { active: false })).toEqual({ ...webhook, ...stored, active: false });
    const filter = { conditions: [{ path: "cron.name", values: ["nightly"] }] };
    expect(await update(webhook, { filter })).toEqual({ ...webhook, ...stored, active: false, filter });
    await expect(update(webhook, { events: { names: stored.events } })).rejects.toMatchObject({
      fields: { events: ["Events unknown event future.kind"] },
    });
  });

  test("accepts the webhook's own address in another spelling", async () => {
    const webhook = await aWebhook();
    expect(await update(webhook, { payloadUrl: "HTTPS://example.com/in" })).toMatchObject({ id: webhook.id });
  });

  test("concurrent changes all take effect", async () => {
    const webhook = await aWebhook();
    await Promise.all([
      update(webhook, { active: false }),
      update(webhook, { ssl: false }),
      update(webhook, { secret: "s" }),
    ]);
    expect(await ci.read(webhook)).toMatchObject({ active: false, ssl: false });
  });
});

describe("secrets", () => {
  test("signs with the old and the new secret for a day after a change, and not at all without a secret", async () => {
    await using inbox = await receiver();
    const webhook = await aWebhook(inbox.url, { secret: "first", events: [] });
    const emit = async (count: number) => {
      await ci.publishBuild("build.submitted", aBuild(webhook.namespaceId));
      await ci.settled(webhook, count);
      const request = inbox.requests[count - 1]!;
      const verified = ["first", "second", "third"].filter((secret) => verifies(request, secret));
      return { headers: request.headers, body: bodyDigest(request, "second"), verified };
    };
    expect((await emit(1)).verified).toEqual(["first"]);
    await update(webhook, { secret: "second" });
    const second = await emit(2);
    expect(second.verified).toEqual(["first", "second"]);
    expect(second.headers["webhook-signature"]).toMatch(/^v1,\S+ v1,\S+$/);
    expect(second.headers["x-service-ci-signature"]).toBe(second.body);
    ci.advanceClock(86_400_000);
    await update(webhook, { secret: "third" });
    expect((await emit(3)).verified).toEqual(["second", "third"]);
    await update(webhook, { secret: "third", removeSecret: true });
    const { headers } = await emit(4);
    expect(Object.keys(headers).filter((name) => /signature|^webhook-/.test(name))).toEqual([]);
    await update(webhook, { secret: "first" });
    expect((await emit(5)).verified).toEqual(["first"]);
  });
});

describe("secrets of events that are recorded late", () => {
  const replaced = async ({ id }: Webhook) =>
    (await ci.db.collection<WebhookDoc>("webhooks").findOne({ _id: id }))?.secrets.replaced?.length;

  test("sign as they did when the event happened, for three days after a change", async () => {
    await using inbox = await receiver();
    const webhook = await aWebhook(inbox.url, { secret: "first", events: [] });
    const body = { $case: "build", value: aBuild(webhook.namespaceId) } as const;
    let count = 0;
    const verifiedAt = async (at: Date) => {
      await ci.publishMessage(outboxEvent({ kind: "build.submitted", namespaceId: webhook.namespaceId, at, body }));
      await ci.settled(webhook, ++count);
      return ["first", "second", "third"].filter((secret) => verifies(inbox.requests[count - 1]!, secret));
    };
    const times: Date[] = [];
    const changes = [{ secret: "second" }, { removeSecret: true }, { secret: "third" }];
    for (const change of changes) {
      times.push(ci.now());
      ci.advanceClock(10_000);
      await update(webhook, change);
    }
    const verified: string[][] = [];
    for (const at of [...times, ci.now()]) verified.push(await verifiedAt(at));
    expect(verified).toEqual([["first"], ["first", "second"], [], ["third"]]);
    expect(await replaced(webhook)).toBe(3);
    ci.advanceClock(3 * 86_400_000);
    // The pass runs when the service starts.
    await ci.restart();
    await eventually(async () => expect(await replaced(webhook)).toBe(0));
  });
});

describe("first attempts", () => {
  test("a change waits for the first attempts of earlier events", async () => {
    const waiting: ((answer: Answer) => void)[] = [];
    await using inbox = await receiver({ answer: () => new Promise((done) => waiting.push(done)) });
    const webhook = await aWebhook(inbox.url, { events: [] });
    for (const kind of ["build.submitted", "build.started"]) await ci.publishBuild(kind, aBuild(webhook.namespaceId));
    await eventually(async () => {
      expect(waiting).toHaveLength(1);
      expect(await ci.deliveries(webhook)).toHaveLength(2);
    });
    const changing = update(webhook, { active: false });
    waiting[0]!({ status: 200 });
    await eventually(() => expect(waiting).toHaveLength(2));
    expect((await ci.read(webhook)).active).toBe(true);
    waiting[1]!({ status: 200 });
    expect(await changing).toMatchObject({ active: false });
    expect(await ci.deliveries(webhook)).toMatchObject([{ status: "delivered" }, { status: "delivered" }]);
  });
});

describe("active", () => {
  test("deactivation cancels retries, and activation does not bring them back", async () => {
    let status = 500;
    await using inbox = await receiver({ answer: () => ({ status }) });
    const webhook = await aWebhook(inbox.url, { events: [] });
    const submit = () => ci.publishBuild("build.submitted", aBuild(webhook.namespaceId));
    await submit();
    await eventually(async () => expect(await ci.deliveries(webhook)).toMatchObject([{ attemptCount: 1 }]));
    await update(webhook, { active: false });
    expect(await ci.deliveries(webhook)).toMatchObject([{ status: "cancelled", nextAttemptAt: undefined }]);
    await submit();
    status = 410;
    await update(webhook, { active: true });
    await submit();
    await eventually(async () => {
      expect(await ci.read(webhook)).toMatchObject({ active: false, disabledReason: "gone" });
    });
    // The event during the inactive time has no delivery.
    expect(await ci.deliveries(webhook)).toMatchObject([{ status: "cancelled" }, { status: "failed" }]);
    const again = await update(webhook, { active: true });
    expect(again).toMatchObject({ active: true, disabledReason: undefined });
  });
});

describe("invalid", () => {
  test.each<[string, Partial<UpdateWebhookRequest>, object]>([
    [
      "several wrong fields at once",
      { payloadUrl: "ftp://example.com", secret: "x".repeat(256), events: { names: ["push"] } },
      {
        payload_url: ["Payload URL missing http or https scheme"],
        secret: ["Secret cannot be longer than 255 characters in length"],
        events: ["Events unknown event push"],
      },
    ],
    [
      "plain http for a webhook with TLS",
      { payloadUrl: "http://example.com/in" },
      { payload_url: ["Payload URL cannot use SSL for plain http URL"] },
    ],
  ])("rejects %s", async (_, changes, fields) => {
    const webhook = await aWebhook();
    await expect(update(webhook, changes)).rejects.toMatchObject({ code: "invalid", fields });
    expect(await ci.read(webhook)).toEqual(webhook);
  });

  test("rejects TLS for a webhook with plain http", async () => {
    const webhook = await aWebhook("http://example.com/in");
    const fields = { payload_url: ["Payload URL cannot use SSL for plain http URL"] };
    await expect(update(webhook, { ssl: true })).rejects.toMatchObject({ code: "invalid", fields });
  });

  test("rejects a change that does not fit what another request has changed meanwhile", async () => {
    const webhook = await aWebhook("https://example.com/in", { ssl: false });
    const store = webhookStore(ci.db, ci.db.collection<WebhookDoc>("webhooks"), ci.config.webhooksPerUser);
    let reads = 0;
    // The real store, with another change between the checks of a request and its write.
    const slow = {
      ...store,
      get: async (...args: Parameters<typeof store.get>) => {
        if (++reads === 2) await update(webhook, { payloadUrl: "http://example.com/in" });
        return store.get(...args);
      },
    };
    await using service = await start(ci.config, { webhooks: slow });
    const { namespaceId, id } = webhook;
    const change = { namespaceId, id, ssl: true, removeSecret: false };
    const changing = ci.as(ci.users.bob, () => ci.clientTo(service).updateWebhook(change));
    const fields = { payload_url: ["Payload URL cannot use SSL for plain http URL"] };
    await expect(changing).rejects.toMatchObject({ code: "invalid", fields });
    expect(await ci.read(webhook)).toMatchObject({ payloadUrl: "http://example.com/in", ssl: false });
  });

  test("rejects another webhook's address", async () => {
    const namespace = await ci.aNamespace();
    await ci.aWebhook(namespace, "https://example.com/one");
    const second = await ci.aWebhook(namespace, "https://example.com/two");
    const fields = { payload_url: ["Payload URL already exists"] };
    await expect(update(second, { payloadUrl: "https://example.com:443/one" })).rejects.toMatchObject({ fields });
  });
});

describe("not_found", () => {
  test("rejects outsiders", async () => {
    const webhook = await aWebhook();
    await expect(update(webhook, { active: false }, ci.users.eve)).rejects.toMatchObject({ code: "not_found" });
  });

  test("rejects a member who was removed while the change waited for earlier deliveries", async () => {
    const { ann, bob } = ci.users;
    const webhook = await aWebhook();
    const { namespaceId, id } = webhook;
    const waiting = deliveryStore(ci.db.collection<DeliveryDoc>("deliveries"));
    const hasFirstPending = async () => {
      const removed = { namespaceId, handle: bob.username };
      await ci.as(ann, () => ci.accounts.namespaces.removeCollaborator(removed));
      return false;
    };
    await using service = await start(ci.config, { deliveries: { ...waiting, hasFirstPending } });
    const change = { namespaceId, id, secret: "theirs", ssl: false, removeSecret: false };
    const changing = ci.as(bob, () => ci.clientTo(service).updateWebhook(change));
    await expect(changing).rejects.toMatchObject({ code: "not_found" });
    const stored = await ci.db.collection<WebhookDoc>("webhooks").findOne({ _id: id });
    expect(stored).toMatchObject({ ssl: true, secrets: { earlier: [] } });
    expect(stored!.secrets.current).toBeUndefined();
  });
});
