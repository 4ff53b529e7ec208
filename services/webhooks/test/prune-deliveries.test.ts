import { eventually } from "@ci/testkit/eventually";
import { receiver } from "@ci/testkit/receiver";
import { aBuild, bootWebhooks } from "./_suite.js";

const ci = bootWebhooks({ logMs: 86_400_000 });

test("pruning removes deliveries older than the log and keeps the others", async () => {
  await using inbox = await receiver();
  const namespace = await ci.aNamespace();
  const webhook = await ci.aWebhook(namespace, inbox.url);
  await ci.publishBuild("build.submitted", aBuild(namespace.id));
  await ci.settled(webhook, 1);
  ci.advanceClock(86_400_000 - 3_600_000);
  await ci.publishBuild("build.started", aBuild(namespace.id));
  await ci.settled(webhook, 2);
  await ci.restart();
  expect(await ci.deliveries(webhook)).toHaveLength(2);
  ci.advanceClock(7_200_000);
  // The pass runs when the service starts.
  await ci.restart();
  await eventually(async () => expect(await ci.deliveries(webhook)).toMatchObject([{ event: "build.started" }]));
  expect((await ci.read(webhook)).lastResponse).toMatchObject({ code: 200 });
});
