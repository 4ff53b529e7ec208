import { createLog } from "@ci/kit/process/log";
import { eventually } from "@ci/testkit/eventually";
import { receiver } from "@ci/testkit/receiver";
import { MongoClient } from "mongodb";
import { laneScheduler } from "../src/delivery/lane-scheduler.js";
import { wakeDue } from "../src/loops/wake-due.js";
import { deliveryStore } from "../src/store/deliveries.js";
import { webhookStore } from "../src/store/webhooks.js";
import { aBuild, bootWebhooks } from "./_suite.js";

const ci = bootWebhooks({ pausesMs: [3_600_000] });

test("the pass rests only while nothing is due soon, and wakes the webhook of a due retry", async () => {
  await using inbox = await receiver({ answer: () => ({ status: 500 }) });
  const namespace = await ci.aNamespace();
  const webhook = await ci.aWebhook(namespace, inbox.url);
  await ci.publishBuild("build.submitted", aBuild(namespace.id));
  const retryAt = await eventually(async () => {
    const [delivery] = await ci.deliveries(webhook);
    expect(delivery?.nextAttemptAt).toBeDefined();
    return delivery!.nextAttemptAt!.getTime();
  });
  await using mongo = new MongoClient(ci.names.mongoUrl);
  const db = mongo.db(ci.config.mongoDb);
  const woken: number[] = [];
  await using lanes = laneScheduler(1, createLog("test", "silent"), async (turn) => {
    woken.push(turn.webhook._id);
    return undefined;
  });
  const stores = {
    deliveries: deliveryStore(db.collection("deliveries")),
    webhooks: webhookStore(db, db.collection("webhooks"), ci.config.webhooksPerUser),
  };
  const passAt = (beforeMs: number) => wakeDue({ ...stores, lanes, now: () => new Date(retryAt - beforeMs) }, 4_000);
  expect(await passAt(60_000)).toBe(0);
  expect(await passAt(3_000)).toBeUndefined();
  expect(woken).toEqual([]);
  expect(await passAt(0)).toBe(1);
  expect(woken).toEqual([webhook.id]);
});
