import { parseAllow } from "@ci/kit/net/guard";
import type { Webhook } from "@ci/proto/webhooks/v1/webhooks";
import { eventually } from "@ci/testkit/eventually";
import { gate } from "@ci/testkit/gate";
import { type Answer, receiver } from "@ci/testkit/receiver";
import { aBuild, bootWebhooks } from "./_suite.js";

const ci = bootWebhooks();

const dayMs = 86_400_000;
const submit = ({ namespaceId }: Webhook) => ci.publishBuild("build.submitted", aBuild(namespaceId));
const aWebhook = async (url: string) => ci.aWebhook(await ci.aNamespace(), url);

/** Creates a webhook for this address, and returns it with its delivery after the last attempt. */
async function failDelivery(url: string) {
  const webhook = await aWebhook(url);
  await submit(webhook);
  const [delivery] = await ci.settled(webhook, 1);
  return { webhook, delivery: delivery! };
}

describe("retries", () => {
  test.each<[string, Answer, object]>([
    ["an error", { status: 500 }, { code: 500, error: "unexpected status 500" }],
    ["a redirect, which is not followed", { status: 302, headers: { Location: "/x" } }, { code: 302 }],
  ])("%s is retried twice with the same id", async (_, answer, attempt) => {
    await using inbox = await receiver({ answer: () => answer });
    const { delivery, webhook } = await failDelivery(inbox.url);
    expect(delivery).toMatchObject({ status: "failed", attempts: [attempt, attempt, attempt] });
    expect(inbox.requests.map(({ path }) => path)).toEqual(["/", "/", "/"]);
    const ids = inbox.requests.map(({ headers }) => headers["x-service-ci-delivery"]);
    expect(new Set(ids)).toEqual(new Set([delivery.deliveryId]));
    expect((await ci.read(webhook)).active).toBe(true);
  });

  test("a refused connection is retried", async () => {
    const gone = await receiver();
    await gone[Symbol.asyncDispose]();
    const { delivery, webhook } = await failDelivery(gone.url);
    expect(delivery.attempts).toHaveLength(3);
    expect(delivery.attempts[2]).toMatchObject({ code: undefined, error: "connection refused" });
    // The webhook is written after the delivery.
    await eventually(async () =>
      expect((await ci.read(webhook)).lastResponse).toMatchObject({ code: undefined, error: "connection refused" }),
    );
  });

  test("the next attempt waits for Retry-After", async () => {
    const responses = [{ status: 429, headers: { "Retry-After": "3600" } }, { status: 200 }];
    await using inbox = await receiver({ answer: () => responses.shift()! });
    const webhook = await aWebhook(inbox.url);
    const fromMs = ci.now().getTime();
    await submit(webhook);
    const waitMs = await eventually(async () => {
      const [delivery] = await ci.deliveries(webhook);
      expect(delivery).toMatchObject({ status: "pending", attemptCount: 1 });
      return delivery!.nextAttemptAt!.getTime() - fromMs;
    });
    expect(waitMs).toBeGreaterThanOrEqual(3_600_000);
    expect(waitMs).toBeLessThan(3_660_000);
    ci.advanceClock(3_660_000);
    expect(await ci.settled(webhook, 1)).toMatchObject([{ status: "delivered", attemptCount: 2 }]);
  });
});

describe("deactivation", () => {
  test("410 deactivates the webhook and cancels its pending deliveries", async () => {
    const responses = [{ status: 500, headers: { "Retry-After": "3600" } }, { status: 410 }];
    await using inbox = await receiver({ answer: () => responses.shift()! });
    const webhook = await aWebhook(inbox.url);
    await submit(webhook);
    await eventually(async () => expect(await ci.deliveries(webhook)).toMatchObject([{ attemptCount: 1 }]));
    await submit(webhook);
    expect(await ci.settled(webhook, 2)).toMatchObject([
      { status: "cancelled" },
      { status: "failed", attemptCount: 1 },
    ]);
    expect(await ci.read(webhook)).toMatchObject({ active: false, disabledReason: "gone" });
  });

  test("five days of failures after the last success deactivate the webhook", async () => {
    let status = 500;
    await using inbox = await receiver({ answer: () => ({ status }) });
    const webhook = await aWebhook(inbox.url);
    let count = 0;
    const statusAfter = async (days: number) => {
      ci.advanceClock(days * dayMs);
      await submit(webhook);
      count += 1;
      const delivery = (await ci.settled(webhook, count)).at(-1)!;
      const { active, disabledReason } = await ci.read(webhook);
      return [delivery.status, delivery.attemptCount, active, disabledReason];
    };
    expect(await statusAfter(0)).toEqual(["failed", 3, true, undefined]);
    status = 200;
    expect(await statusAfter(4)).toEqual(["delivered", 1, true, undefined]);
    status = 500;
    expect(await statusAfter(2)).toEqual(["failed", 3, true, undefined]);
    expect(await statusAfter(4.9)).toEqual(["failed", 3, true, undefined]);
    expect(await statusAfter(0.2)).toEqual(["cancelled", 1, false, "failing"]);
    const request = { namespaceId: webhook.namespaceId, id: webhook.id, removeSecret: false, active: true };
    await ci.as(ci.users.bob, () => ci.webhooks.updateWebhook(request));
    expect(await statusAfter(1)).toEqual(["failed", 3, true, undefined]);
  });

  test("a change during the attempt that would have deactivated the webhook keeps the retries", async () => {
    const answers: (Answer | Promise<Answer>)[] = [];
    await using inbox = await receiver({ answer: () => answers.shift() ?? { status: 500 } });
    const { webhook } = await failDelivery(inbox.url);
    ci.advanceClock(6 * dayMs);
    const under = gate();
    answers.push(under.pass().then(() => ({ status: 500 })));
    await submit(webhook);
    await eventually(() => expect(answers).toEqual([]));
    const request = { namespaceId: webhook.namespaceId, id: webhook.id, removeSecret: false, active: true };
    await ci.as(ci.users.bob, () => ci.webhooks.updateWebhook(request));
    under.open();
    expect((await ci.settled(webhook, 2)).at(-1)).toMatchObject({ status: "failed", attemptCount: 3 });
    expect(await ci.read(webhook)).toMatchObject({ active: true, disabledReason: undefined });
  });

  test.each([
    ["failure of an attempt that began before an activation does not count", { active: true }, 500, "failing"],
    ["success counts also if the webhook is changed meanwhile", { secret: "new" }, 200, undefined],
  ])("a %s", async (_, change, status, disabledReason) => {
    const answers: (Answer | Promise<Answer>)[] = [];
    await using inbox = await receiver({ answer: () => answers.shift() ?? { status: 500 } });
    const { webhook, delivery } = await failDelivery(inbox.url);
    const { namespaceId, id } = webhook;
    if (disabledReason) {
      ci.advanceClock(6 * dayMs);
      await submit(webhook);
      await ci.settled(webhook, 2);
    }
    expect(await ci.read(webhook)).toMatchObject({ active: !disabledReason, disabledReason });
    const under = gate();
    answers.push(under.pass().then(() => ({ status })));
    await ci.as(ci.users.bob, () => ci.webhooks.redeliver({ namespaceId, webhookId: id, id: delivery.id }));
    await eventually(() => expect(answers).toEqual([]));
    const request = { namespaceId, id, removeSecret: false, ...change };
    await ci.as(ci.users.bob, () => ci.webhooks.updateWebhook(request));
    under.open();
    const { length } = await ci.deliveries(webhook);
    await ci.settled(webhook, length);
    ci.advanceClock(disabledReason ? 1_000 : 6 * dayMs);
    await submit(webhook);
    expect((await ci.settled(webhook, length + 1)).at(-1)).toMatchObject({ status: "failed", attemptCount: 3 });
    expect(await ci.read(webhook)).toMatchObject({ active: true, disabledReason: undefined });
  });
});

// Last, because the service keeps the settings of its restart.
describe("timeouts", () => {
  test("an attempt without response ends at the timeout", async () => {
    ci.config = { ...ci.config, timeoutMs: 500 };
    await ci.restart();
    await using inbox = await receiver({ answer: () => new Promise(() => {}) });
    const { delivery } = await failDelivery(inbox.url);
    expect(delivery).toMatchObject({ status: "failed", attemptCount: 3, response: undefined });
    for (const { code, error, durationNs } of delivery.attempts) {
      expect([code, error]).toEqual([undefined, "timeout"]);
      expect(durationNs).toBeGreaterThan(490_000_000);
    }
  });
});

describe("addresses", () => {
  test("no connection is made to an address that is no longer allowed", async () => {
    await using inbox = await receiver();
    const webhook = await aWebhook(inbox.url);
    ci.config = { ...ci.config, allow: parseAllow("") };
    await ci.restart();
    await submit(webhook);
    const [delivery] = await ci.settled(webhook, 1);
    expect(delivery!.attempts[0]).toMatchObject({ code: undefined, error: "address not allowed" });
    expect(inbox.requests).toEqual([]);
  });
});
