import { type Answer, receiver } from "@ci/testkit/receiver";
import { aBuild, bootWebhooks, patiently } from "./_suite.js";

const ci = bootWebhooks({ patchWaitMs: 100 });

test("a change does not wait for ever for first attempts: those not begun are cancelled", async () => {
  const waiting: ((answer: Answer) => void)[] = [];
  await using to = await receiver({ answer: () => new Promise((done) => waiting.push(done)) });
  const webhook = await ci.aWebhook(await ci.aNamespace(), to.url);
  for (const kind of ["build.submitted", "build.started"]) await ci.publishBuild(kind, aBuild(webhook.namespaceId));
  await patiently(async () => {
    expect(waiting).toHaveLength(1);
    expect(await ci.deliveries(webhook)).toHaveLength(2);
  });
  const ask = { namespaceId: webhook.namespaceId, id: webhook.id, removeSecret: false, active: false };
  await ci.as(ci.users.bob, () => ci.webhooks.updateWebhook(ask));
  waiting[0]!({ status: 200 });
  // The one under way arrives all the same.
  expect(await ci.settled(webhook, 2)).toMatchObject([{ status: "delivered" }, { status: "cancelled" }]);
  expect(to.requests).toHaveLength(1);
});
