import { bootWebhooks } from "./_suite.js";

const ci = bootWebhooks();

describe("succeeds", () => {
  test("returns the webhook as it was created", async () => {
    const webhook = await ci.aWebhook(await ci.aNamespace(), "https://example.com/in", { events: ["cron"] });
    expect(await ci.read(webhook)).toEqual(webhook);
  });
});

describe("not_found", () => {
  test("rejects another namespace's webhook, an unknown id, and outsiders", async () => {
    const webhook = await ci.aWebhook(await ci.aNamespace(), "https://example.com/in");
    const other = await ci.aNamespace();
    const get = (namespaceId: number, id: number, user = ci.users.bob) =>
      ci.as(user, () => ci.webhooks.getWebhook({ namespaceId, id }));
    for (const call of [
      () => get(other.id, webhook.id),
      () => get(webhook.namespaceId, 999_999),
      () => get(webhook.namespaceId, webhook.id, ci.users.eve),
    ])
      await expect(call()).rejects.toMatchObject({ code: "not_found" });
  });
});
