import type { Webhook } from "@ci/proto/webhooks/v1/webhooks";
import { eventually } from "@ci/testkit/eventually";
import { receiver } from "@ci/testkit/receiver";
import { aBuild, bootWebhooks } from "./_suite.js";

const ci = bootWebhooks({ pausesMs: [] });

const list = ({ namespaceId, id }: Webhook, number?: number, user = ci.users.ann, failed = false) =>
  ci.as(user, () =>
    ci.webhooks.listDeliveries({ namespaceId, webhookId: id, failed, page: number ? { number } : undefined }),
  );

describe("succeeds", () => {
  test("returns the newest first, 25 a page, with the last attempt and without request and response", async () => {
    await using inbox = await receiver();
    const namespace = await ci.aNamespace();
    const webhook = await ci.aWebhook(namespace, inbox.url);
    const events: string[] = [];
    for (let nth = 0; nth < 26; nth++) events.push(await ci.publishBuild("build.submitted", aBuild(namespace.id)));
    await eventually(async () => {
      const [first, second] = [await list(webhook), await list(webhook, 2)];
      const shown = [...first.deliveries, ...second.deliveries];
      expect(shown.map(({ eventId }) => eventId)).toEqual(events.toReversed());
      expect([first.page, second.page]).toEqual([{ hasNext: true }, { hasNext: false }]);
      for (const delivery of shown)
        expect(delivery).toEqual({
          id: expect.any(Number),
          webhookId: webhook.id,
          deliveryId: expect.stringMatching(/^[0-9a-f-]{36}$/),
          eventId: expect.any(String),
          event: "build.submitted",
          status: "delivered",
          attempts: [
            { number: 1, redelivery: false, code: 200, durationNs: expect.any(Number), createdAt: expect.any(Date) },
          ],
          attemptCount: 1,
          createdAt: expect.any(Date),
        });
    });
    expect(await list(webhook, 3)).toEqual({ deliveries: [], page: { hasNext: false, lastPage: 2 } });
  });

  test("returns only those that failed, newest first", async () => {
    const codes = [500, 200, 503, 200];
    await using inbox = await receiver({ answer: () => ({ status: codes.shift()! }) });
    const namespace = await ci.aNamespace();
    const webhook = await ci.aWebhook(namespace, inbox.url);
    const events: string[] = [];
    for (let nth = 0; nth < 4; nth++) {
      events.push(await ci.publishBuild("build.submitted", aBuild(namespace.id)));
      await ci.settled(webhook, nth + 1);
    }
    const { deliveries, page } = await list(webhook, 1, ci.users.ann, true);
    expect(deliveries.map(({ eventId }) => eventId)).toEqual([events[2], events[0]]);
    expect(page).toEqual({ hasNext: false });
    expect(await list(webhook, 2, ci.users.ann, true)).toEqual({
      deliveries: [],
      page: { hasNext: false, lastPage: 1 },
    });
  });
});

describe("not_found", () => {
  test("rejects another namespace's webhook, and outsiders", async () => {
    const webhook = await ci.aWebhook(await ci.aNamespace(), "https://example.com/in");
    const other = await ci.aNamespace();
    await expect(list({ ...webhook, namespaceId: other.id })).rejects.toMatchObject({ code: "not_found" });
    await expect(list(webhook, 1, ci.users.eve)).rejects.toMatchObject({ code: "not_found" });
  });
});
