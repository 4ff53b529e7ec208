import type { Webhook } from "@ci/proto/webhooks/v1/webhooks";
import { type Received, type Receiver, receiver } from "@ci/testkit/receiver";
import { MongoClient } from "mongodb";
import { aBuild, bootWebhooks, patiently } from "./_suite.js";

// Hundreds of requests one after the other take their time on a busy machine.
jest.setTimeout(120_000);
const ci = bootWebhooks({ pausesMs: [] });

const numberOf = ({ body }: Received): number => JSON.parse(body.toString()).number;
const upTo = (last: number) => Array.from({ length: last }, (_, nth) => nth + 1);
const submit = (webhook: Webhook, number: number) =>
  ci.publishBuild("build.submitted", aBuild(webhook.namespaceId, { number }));
const ask = ({ namespaceId, id: webhookId }: Webhook, since?: Date, user = ci.users.bob) =>
  ci.as(user, () => ci.webhooks.redeliverFailed({ namespaceId, webhookId, since }));

/** A receiver that fails until it is told not to, and a webhook for it. */
async function aFailing() {
  let code = 500;
  const to = await receiver({ answer: () => ({ status: code }) });
  const webhook = await ci.aWebhook(await ci.aNamespace(), to.url, { secret: "s" });
  const mend = () => {
    code = 200;
  };
  return { to, webhook, mend, [Symbol.asyncDispose]: () => to[Symbol.asyncDispose]() };
}

const sentSince = ({ requests }: Receiver, before: number) => requests.slice(before).map(numberOf);

describe("answers", () => {
  test("all that failed since then go once more, in order, however many; nothing else does", async () => {
    await using failing = await aFailing();
    const { to, webhook, mend } = failing;
    await submit(webhook, 1);
    await ci.settled(webhook, 1);
    ci.later(60_000);
    const since = ci.now();
    const many = 230;
    for (const number of upTo(many)) await submit(webhook, 1 + number);
    await patiently(() => expect(to.requests).toHaveLength(1 + many));
    mend();
    await submit(webhook, 1_000);
    await patiently(() => expect(to.requests).toHaveLength(2 + many));
    await patiently(async () => expect(await ask(webhook, new Date(ci.now().getTime() + 1))).toEqual({ count: 0 }));
    expect(await ask(webhook, since)).toEqual({ count: many });
    await patiently(() => expect(to.requests.length).toBeGreaterThanOrEqual(2 + 2 * many));
    expect(sentSince(to, 2 + many)).toEqual(upTo(many).map((number) => 1 + number));
    await patiently(async () => expect(await ask(webhook, since)).toEqual({ count: 0 }));
    expect(await ask(webhook, new Date(0))).toEqual({ count: 1 });
    await patiently(() => expect(to.requests.map(numberOf).at(-1)).toBe(1));
  });

  test("one attempt each: what fails again stays failed", async () => {
    await using failing = await aFailing();
    const { to, webhook } = failing;
    for (const number of [1, 2]) await submit(webhook, number);
    await ci.settled(webhook, 2);
    expect(await ask(webhook, new Date(0))).toEqual({ count: 2 });
    await patiently(async () =>
      expect((await ci.settled(webhook, 2)).map(({ attemptCount }) => attemptCount)).toEqual([2, 2]),
    );
    const again = (await ci.deliveries(webhook)).map(({ status, attempts }) => [status, attempts[1]!.redelivery]);
    expect(again).toEqual([
      ["failed", true],
      ["failed", true],
    ]);
    expect(to.requests.map(numberOf)).toEqual([1, 2, 1, 2]);
  });

  test("what was asked for of a process that died is done by another", async () => {
    await using failing = await aFailing();
    const { to, webhook, mend } = failing;
    for (const number of [1, 2, 3]) await submit(webhook, number);
    const [first] = await ci.settled(webhook, 3);
    mend();
    await using mongo = new MongoClient(ci.names.mongoUrl);
    const webhooks = mongo.db(ci.config.mongoDb).collection<{ _id: number }>("webhooks");
    // It came as far as the first.
    const again = { since: first!.createdAt, id: first!.id };
    await webhooks.updateOne({ _id: webhook.id }, { $set: { again } });
    await patiently(() => expect(sentSince(to, 3)).toEqual([2, 3]));
    await patiently(async () =>
      expect(await webhooks.findOne({ _id: webhook.id, again: { $exists: true } })).toBeNull(),
    );
  });
});

describe("invalid", () => {
  test("without a time", async () => {
    const webhook = await ci.aWebhook(await ci.aNamespace(), "http://a.test");
    await expect(ask(webhook)).rejects.toMatchObject({ code: "invalid", fields: { since: ["Since field required"] } });
  });
});

describe("not_found", () => {
  test("for others, and of another namespace", async () => {
    const webhook = await ci.aWebhook(await ci.aNamespace(), "http://a.test");
    const other = await ci.aNamespace();
    await expect(ask(webhook, new Date(0), ci.users.eve)).rejects.toMatchObject({ code: "not_found" });
    await expect(ask({ ...webhook, namespaceId: other.id }, new Date(0))).rejects.toMatchObject({ code: "not_found" });
  });
});
