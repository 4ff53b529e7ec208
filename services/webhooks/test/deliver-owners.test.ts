import { eventually } from "@ci/testkit/eventually";
import { receiver } from "@ci/testkit/receiver";
import { aBuild, bootWebhooks } from "./_suite.js";

const slots = 4;
// No attempt ends because its receiver hangs.
const ci = bootWebhooks({ concurrency: slots });
const upTo = (last: number) => Array.from({ length: last }, (_, nth) => nth + 1);

test("receivers of one user that hang in all slots of the user hold up no delivery of another", async () => {
  await using inbox = await receiver();
  await using hanging = await receiver({ answer: () => new Promise(() => {}) });
  const crowded = await ci.aNamespace();
  for (const nth of upTo(5 * slots)) await ci.aWebhook(crowded, `${hanging.url}/${nth}`);
  const { eve } = ci.users;
  const { id: namespaceId } = await ci.accounts.aNamespace(eve, "innocent");
  const request = { namespaceId, payloadUrl: inbox.url, secret: "", ssl: false, events: [] };
  await ci.as(eve, () => ci.webhooks.createWebhook(request));
  await ci.publishBuild("build.submitted", aBuild(crowded.id));
  await eventually(() => expect(hanging.requests.length).toBeGreaterThan(1));
  for (const number of upTo(10)) await ci.publishBuild("build.submitted", aBuild(namespaceId, { number }));
  await eventually(() => expect(inbox.requests).toHaveLength(10), { progress: () => inbox.requests.length });
  expect(hanging.requests).toHaveLength(slots / 2);
});

test("what a stopped process left is shared by owners too", async () => {
  await using inbox = await receiver();
  await using hanging = await receiver({ answer: () => new Promise(() => {}) });
  const crowded = await ci.aNamespace();
  for (const nth of upTo(5 * slots)) await ci.aWebhook(crowded, `${hanging.url}/${nth}`);
  const { id: namespaceId } = await ci.accounts.aNamespace(ci.users.eve, "another");
  const request = { namespaceId, payloadUrl: inbox.url, secret: "", ssl: false, events: [] };
  await ci.as(ci.users.eve, () => ci.webhooks.createWebhook(request));
  await ci.restart(async () => {
    await ci.publishBuild("build.submitted", aBuild(crowded.id));
    await ci.publishBuild("build.submitted", aBuild(namespaceId));
  });
  await eventually(() => expect(inbox.requests).toHaveLength(1));
  expect(hanging.requests.length).toBeLessThanOrEqual(slots / 2);
});
