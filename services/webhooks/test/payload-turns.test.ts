import { eventually } from "@ci/testkit/eventually";
import { type Answer, receiver } from "@ci/testkit/receiver";
import type { DeliveryDoc } from "../src/store/delivery-doc.js";
import { verifies } from "./_signatures.js";
import { aBuild, bootWebhooks } from "./_suite.js";

// No attempt ends because its receiver hangs.
const ci = bootWebhooks({ concurrency: 64 });
/** Twice as long in JSON. */
const manifest = '"'.repeat(1024 ** 2);

test("receivers of one user that hang hold at most half of the payloads, and another user's large payload is sent", async () => {
  let answer = (_: Answer) => {};
  const answered = new Promise<Answer>((resolve) => {
    answer = resolve;
  });
  await using hanging = await receiver({ answer: () => answered });
  await using inbox = await receiver();
  const shared = await ci.aNamespace();
  const namespaces = [shared, ...(await Promise.all(Array.from({ length: 6 }, () => ci.aNamespace())))];
  for (let nth = 0; nth < 8; nth++) await ci.aWebhook(shared, `${hanging.url}/shared/${nth}`);
  for (const own of namespaces.slice(1)) await ci.aWebhook(own, `${hanging.url}/own`);
  const { eve } = ci.users;
  const { id: namespaceId } = await ci.accounts.aNamespace(eve, "innocent");
  const request = { namespaceId, payloadUrl: inbox.url, secret: "eve's", ssl: false, events: [] };
  await ci.as(eve, () => ci.webhooks.createWebhook(request));

  for (const { id } of namespaces) await ci.publishBuild("build.submitted", aBuild(id, { manifest }));
  await eventually(() => expect(hanging.requests.length).toBeGreaterThan(6));
  await ci.publishBuild("build.submitted", aBuild(namespaceId, { manifest }));
  await eventually(() => expect(inbox.requests).toHaveLength(1));
  expect(JSON.parse(inbox.requests[0]!.body.toString())).toMatchObject({ manifest });
  expect(verifies(inbox.requests[0]!, "eve's")).toBe(true);
  expect(hanging.requests.length).toBeLessThanOrEqual(8);

  answer({ status: 200 });
  await eventually(() => expect(hanging.requests).toHaveLength(14), { progress: () => hanging.requests.length });
});

test("a shared payload whose length an earlier version has not stored is sent", async () => {
  await using inbox = await receiver({ answer: () => ({ status: inbox.requests.length > 2 ? 200 : 500 }) });
  const namespace = await ci.aNamespace();
  const webhooks = [await ci.aWebhook(namespace, `${inbox.url}/1`), await ci.aWebhook(namespace, `${inbox.url}/2`)];
  const pausesMs = [3_600_000];
  Object.assign(ci.config, { pausesMs });
  await ci.restart();
  await ci.publishBuild("build.submitted", aBuild(namespace.id, { manifest }));
  await eventually(() => expect(inbox.requests).toHaveLength(2));
  const filter = { webhookId: { $in: webhooks.map(({ id }) => id) } };
  const deliveries = ci.db.collection<DeliveryDoc>("deliveries");
  await ci.restart(async () => {
    const { modifiedCount } = await deliveries.updateMany(filter, { $unset: { "sharedRequest.payloadBytes": "" } });
    expect(modifiedCount).toBe(2);
    ci.advanceClock(2 * pausesMs[0]!);
  });
  for (const webhook of webhooks) await ci.settled(webhook, 1);
  expect(inbox.requests).toHaveLength(4);
});
