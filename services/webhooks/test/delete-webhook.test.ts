import { eventually } from "@ci/testkit/eventually";
import { receiver } from "@ci/testkit/receiver";
import { MongoClient } from "mongodb";
import { aBuild, bootWebhooks } from "./_suite.js";

const ci = bootWebhooks();

describe("succeeds", () => {
  test("removes the webhook and its deliveries, even while one is being sent", async () => {
    let answer = () => {};
    await using inbox = await receiver({ answer: () => new Promise((done) => (answer = () => done({ status: 500 }))) });
    const namespace = await ci.aNamespace();
    const webhook = await ci.aWebhook(namespace, inbox.url);
    for (const kind of ["build.submitted", "build.started"]) await ci.publishBuild(kind, aBuild(namespace.id));
    await eventually(() => expect(inbox.requests).toHaveLength(1));

    const request = { namespaceId: namespace.id, id: webhook.id };
    await ci.as(ci.users.bob, () => ci.webhooks.deleteWebhook(request));
    answer();
    await expect(ci.read(webhook)).rejects.toMatchObject({ code: "not_found" });
    await using mongo = new MongoClient(ci.names.mongoUrl);
    const deliveries = mongo.db(ci.config.mongoDb).collection("deliveries");
    await eventually(async () => expect(await deliveries.countDocuments({ webhookId: webhook.id })).toBe(0));
    // The address is free again, and later events go to the new webhook.
    const other = await ci.aWebhook(namespace, inbox.url);
    await ci.publishBuild("build.finished", aBuild(namespace.id));
    await eventually(() => expect(inbox.requests).toHaveLength(2));
    answer();
    expect(inbox.requests[1]?.headers).toMatchObject({ "x-service-ci-hook-id": String(other.id) });
  });
});

test("removes a delivery that was recorded while its webhook was deleted", async () => {
  await using mongo = new MongoClient(ci.names.mongoUrl);
  const deliveries = mongo.db(ci.config.mongoDb).collection<{ _id: number }>("deliveries");
  await deliveries.insertOne({ _id: 1_000_000, webhookId: 999_999, status: "pending", dueAt: new Date(0) } as never);
  await eventually(async () => expect(await deliveries.findOne({ _id: 1_000_000 })).toBeNull());
});

describe("not_found", () => {
  test("rejects a deleted webhook, and outsiders", async () => {
    const webhook = await ci.aWebhook(await ci.aNamespace(), "https://example.com/in");
    const request = { namespaceId: webhook.namespaceId, id: webhook.id };
    const deleteWebhook = (user = ci.users.bob) => ci.as(user, () => ci.webhooks.deleteWebhook(request));
    await expect(deleteWebhook(ci.users.eve)).rejects.toMatchObject({ code: "not_found" });
    await deleteWebhook();
    await expect(deleteWebhook()).rejects.toMatchObject({ code: "not_found" });
  });
});
