import type { CreateWebhookRequest } from "@ci/proto/webhooks/v1/webhooks";
import { type DnsServer, dnsServer } from "@ci/testkit/dns-server";
import { MongoClient } from "mongodb";
import { eventKinds } from "../src/domain/event-kinds.js";
import { bootWebhooks } from "./_suite.js";

let names: DnsServer;
beforeAll(async () => {
  names = await dnsServer({ "ci.localhost": [["127.0.0.1"]], "both.localhost": [["127.0.0.1", "127.0.0.2"]] });
});
const ci = bootWebhooks({
  get resolver() {
    return names.resolver;
  },
});
afterAll(() => names[Symbol.asyncDispose]());

const requestWith = async (fields: Partial<CreateWebhookRequest>): Promise<CreateWebhookRequest> => ({
  namespaceId: fields.namespaceId ?? (await ci.aNamespace()).id,
  payloadUrl: "https://example.com/in",
  secret: "",
  ssl: false,
  events: [],
  ...fields,
});
const create = async (fields: Partial<CreateWebhookRequest>) => {
  const request = await requestWith(fields);
  return ci.as(ci.users.bob, () => ci.webhooks.createWebhook(request));
};

describe("succeeds", () => {
  test("returns a webhook with the defaults, its author and its owner", async () => {
    const namespace = await ci.aNamespace();
    const { webhook } = await create({ namespaceId: namespace.id });
    expect(webhook).toEqual({
      id: expect.any(Number),
      authorId: ci.users.bob.id,
      userId: ci.users.ann.id,
      namespaceId: namespace.id,
      payloadUrl: "https://example.com/in",
      ssl: false,
      events: eventKinds,
      active: true,
      createdAt: expect.any(Date),
    });
  });

  test("returns the requested settings, with the events in the order of the list", async () => {
    const { webhook } = await create({ ssl: true, active: false, events: ["cron", "build.started", "cron"] });
    expect(webhook).toMatchObject({ ssl: true, active: false, events: ["build.started", "cron"] });
  });

  test("accepts the same address in another namespace, and another path in the same namespace", async () => {
    const { webhook } = await create({});
    await create({});
    await create({ namespaceId: webhook!.namespaceId, payloadUrl: "https://example.com/other" });
  });

  test("stores the secret encrypted", async () => {
    const { webhook } = await create({ secret: "plain-to-see" });
    await using mongo = new MongoClient(ci.names.mongoUrl);
    const stored = await mongo
      .db(ci.config.mongoDb)
      .collection<{ _id: number }>("webhooks")
      .findOne({ _id: webhook!.id });
    expect(stored).toMatchObject({ secrets: { current: expect.stringMatching(/^test:/) } });
    expect(JSON.stringify(stored)).not.toContain("plain-to-see");
  });
});

describe("a localhost name", () => {
  test("is accepted if the allow-list has all of its addresses", async () => {
    const { webhook } = await create({ payloadUrl: "http://CI.localhost:8080/in" });
    expect(webhook).toMatchObject({ payloadUrl: "http://CI.localhost:8080/in" });
  });

  test("is rejected if the allow-list lacks one of its addresses", async () => {
    const fields = { payload_url: ["Payload URL cannot be localhost"] };
    await expect(create({ payloadUrl: "http://both.localhost/in" })).rejects.toMatchObject({ code: "invalid", fields });
    const { webhook } = await create({});
    const request = { namespaceId: webhook!.namespaceId, id: webhook!.id, removeSecret: false };
    const update = () => ci.webhooks.updateWebhook({ ...request, payloadUrl: "http://both.localhost/in" });
    await expect(ci.as(ci.users.bob, update)).rejects.toMatchObject({ code: "invalid", fields });
  });
});

describe("invalid", () => {
  test.each<[string, Partial<CreateWebhookRequest>, object]>([
    ["no address", { payloadUrl: "" }, { payload_url: ["Payload URL field required"] }],
    ["a blocked address", { payloadUrl: "http://10.1.2.3/" }, { payload_url: ["Payload URL address not allowed"] }],
    ["the loopback address", { payloadUrl: "http://[::1]/" }, { payload_url: ["Payload URL address not allowed"] }],
    [
      "several wrong fields at once",
      { payloadUrl: "http://me@example.com", ssl: true, secret: "x".repeat(256), events: ["cron", "push", "pull"] },
      {
        payload_url: ["Payload URL cannot contain credentials", "Payload URL cannot use SSL for plain http URL"],
        secret: ["Secret cannot be longer than 255 characters in length"],
        events: ["Events unknown event push", "Events unknown event pull"],
      },
    ],
  ])("rejects %s", async (_, given, fields) => {
    await expect(create(given)).rejects.toMatchObject({ code: "invalid", fields });
  });

  test("accepts a secret of 255 characters, no matter how many bytes they are", async () => {
    await create({ secret: "ü".repeat(255) });
  });

  test("rejects an address that the namespace has already, in any spelling", async () => {
    const { webhook } = await create({});
    const again = { namespaceId: webhook!.namespaceId, payloadUrl: "HTTPS://EXAMPLE.com:443/in" };
    await expect(create(again)).rejects.toMatchObject({
      code: "invalid",
      fields: { payload_url: ["Payload URL already exists"] },
    });
  });

  test("eight concurrent requests for one address: one succeeds, seven report that it exists", async () => {
    const { id: namespaceId } = await ci.aNamespace();
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => create({ namespaceId })));
    const rejected = results.filter((result) => result.status === "rejected");
    expect(rejected).toHaveLength(7);
    for (const { reason } of rejected)
      expect(reason).toMatchObject({ fields: { payload_url: ["Payload URL already exists"] } });
  });
});

describe("not_found", () => {
  test("rejects outsiders and missing namespaces before it validates anything else", async () => {
    const wrong = await requestWith({ payloadUrl: "" });
    await expect(ci.as(ci.users.eve, () => ci.webhooks.createWebhook(wrong))).rejects.toMatchObject({
      code: "not_found",
    });
    await expect(ci.webhooks.createWebhook(wrong)).rejects.toMatchObject({ code: "not_found" });
    await expect(create({ namespaceId: 999_999 })).rejects.toMatchObject({ code: "not_found" });
  });
});
