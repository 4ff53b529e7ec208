import { createLog } from "@ci/kit/process/log";
import { metrics } from "@ci/kit/process/metrics";
import { eventually } from "@ci/testkit/eventually";
import { type Answer, receiver } from "@ci/testkit/receiver";
import { batchedWrites } from "../src/delivery/batched-writes.js";
import { startHeartbeat } from "../src/delivery/heartbeat.js";
import { deliveryStore } from "../src/store/deliveries.js";
import { type Sender, senderStore } from "../src/store/senders.js";
import { webhookStore } from "../src/store/webhooks.js";
import { aBuild, bootWebhooks } from "./_suite.js";

const ci = bootWebhooks({ aliveMs: 4_000 });

const sendersOf = () => ci.db.collection<Sender>("senders");

const passes = async () => Number(/ci_loop_seconds_count{loop="heartbeat"} (\d+)/.exec(await metrics.metrics())![1]);

const aliveUntil = async () => (await sendersOf().findOne({ $expr: { $gt: ["$until", "$$NOW"] } }))?.until.getTime();
const dies = () => eventually(async () => expect(await aliveUntil()).toBeUndefined());

/** Expects that an attempt of more than 5 seconds is made once. A late heartbeat would interrupt it. */
async function expectHeartbeats() {
  let finish = (_: Answer) => {};
  const answered = new Promise<Answer>((resolve) => {
    finish = resolve;
  });
  let until: number | undefined;
  await using inbox = await receiver({
    answer: async () => {
      until = await aliveUntil();
      return answered;
    },
  });
  const namespace = await ci.aNamespace();
  const webhook = await ci.aWebhook(namespace, inbox.url);
  await ci.publishBuild("build.submitted", aBuild(namespace.id));
  await eventually(() => expect(until).toBeDefined());
  await eventually(async () => expect(await aliveUntil()).toBeGreaterThan(until! + 5_000));
  finish({ status: 200 });
  expect(await ci.settled(webhook, 1)).toMatchObject([{ attemptCount: 1 }]);
  expect(inbox.requests).toHaveLength(1);
}

test("a process makes heartbeats while it has lanes, and none without", async () => {
  // On a machine that stalls, some heartbeats are late.
  await eventually(async () => {
    await dies();
    // The pauses of the loop have doubled since. The one after the next pass is 8 s.
    const before = await passes();
    await eventually(async () => expect(await passes()).toBeGreaterThan(before));
    await expectHeartbeats();
  });
  await dies();
});

test("a heartbeat precedes the first claim after a time without lanes", async () => {
  await using heartbeat = await startHeartbeat(senderStore(sendersOf()), ci.config.aliveMs, () => undefined);
  const writes = batchedWrites({
    webhooks: webhookStore(ci.db, ci.db.collection("webhooks"), ci.config.webhooksPerUser),
    deliveries: deliveryStore(ci.db.collection("deliveries")),
    heartbeat,
    log: createLog("webhooks", "silent"),
  });
  // On a machine that stalls, the heartbeat is old again.
  await eventually(async () => {
    const webhook = await ci.aWebhook(await ci.aNamespace(), "http://127.0.0.1:1/");
    await eventually(() => expect(heartbeat.isCurrent()).toBe(false));
    expect(await writes.claimLane(webhook.id)).toMatchObject({ lane: { holder: heartbeat.holder } });
    expect(heartbeat.isCurrent()).toBe(true);
  });
});
