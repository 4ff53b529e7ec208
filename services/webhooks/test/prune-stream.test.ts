import { connectBus } from "@ci/kit/bus/bus";
import { outboxEvent } from "@ci/kit/mongo/document";
import { createLog } from "@ci/kit/process/log";
import { eventually } from "@ci/testkit/eventually";
import { MongoClient } from "mongodb";
import { aBuild, bootWebhooks } from "./_suite.js";

const ci = bootWebhooks({ eventLogMs: 86_400_000 });

test("pruning removes records older than the log, and they are not recorded again", async () => {
  await using mongo = new MongoClient(ci.names.mongoUrl);
  const records = mongo.db(`${ci.names.mongoDb}_webhooks`).collection("stream");
  const kinds = async () => (await records.find({ _id: { $gt: 0 } as never }).toArray()).map(({ kind }) => kind);
  const namespace = await ci.aNamespace();
  await eventually(async () => expect(await kinds()).toEqual(["invite.sent", "invite.accepted"]));
  ci.advanceClock(86_400_000 + 2 * 3_600_000);
  await ci.publishBuild("build.started", aBuild(namespace.id));
  await eventually(async () => expect(await kinds()).toContain("build.started"));
  // The pass runs when the service starts.
  await ci.restart();
  await eventually(async () => expect(await kinds()).toEqual(["build.started"]));
  const at = new Date(ci.now().getTime() - 86_400_000 - 1);
  const body = { $case: "build", value: aBuild(namespace.id) } as const;
  await using bus = await connectBus(ci.names.natsUrl, ci.names.subjectPrefix, "test", createLog("test", "silent"));
  await bus.publish(outboxEvent({ kind: "build.pinned", namespaceId: namespace.id, at, body }));
  await ci.publishBuild("build.finished", aBuild(namespace.id));
  await eventually(async () => expect(await kinds()).toContain("build.finished"));
  expect(await kinds()).toEqual(["build.started", "build.finished"]);
});
