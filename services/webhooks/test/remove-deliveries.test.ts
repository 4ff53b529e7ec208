import { openMongo } from "@ci/kit/mongo/mongo";
import { limitOf } from "@ci/testkit/quotas";
import { suite } from "@ci/testkit/suite";
import { removeInNamespace } from "../src/actions/apply-deletion.js";
import type { Context } from "../src/context.js";
import { removeDeliveries } from "../src/loops/remove-deliveries.js";
import { deleteWebhook } from "../src/rpc/delete-webhook.js";
import { deliveryStore } from "../src/store/deliveries.js";
import type { DeliveryDoc } from "../src/store/delivery-doc.js";
import { makeIndexes } from "../src/store/indexes.js";
import { type RemovedWebhook, removedWebhookStore } from "../src/store/removed-webhooks.js";
import type { WebhookDoc } from "../src/store/webhook-doc.js";
import { webhookStore } from "../src/store/webhooks.js";

const names = suite();
let mongo: Awaited<ReturnType<typeof openMongo>>;
beforeAll(async () => {
  mongo = await openMongo(names.mongoUrl, names.mongoDb);
  const { webhooks, deliveries } = aProcess();
  await makeIndexes(webhooks, deliveries, mongo.db.collection("senders"));
});
afterAll(() => mongo[Symbol.asyncDispose]());

/** Returns the stores as a new process has them. */
function aProcess() {
  const webhooks = mongo.db.collection<WebhookDoc>("webhooks");
  const deliveries = mongo.db.collection<DeliveryDoc>("deliveries");
  const ctx = {
    webhooks: webhookStore(mongo.db, webhooks, limitOf("Webhooks", "user")),
    deliveries: deliveryStore(deliveries),
    removedWebhooks: removedWebhookStore(mongo.db.collection<RemovedWebhook>("removedWebhooks")),
    wakeRemoval: () => undefined,
  } as unknown as Context;
  return { ctx, webhooks, deliveries, left: () => deliveries.countDocuments({ webhookId: { $gt: 0 } }) };
}

test("the webhooks of a deleted namespace are removed at once, and another process removes their deliveries in steps", async () => {
  const { ctx, webhooks, deliveries, left } = aProcess();
  const docs = [
    { _id: 1, namespaceId: 7 },
    { _id: 2, namespaceId: 7 },
    { _id: 3, namespaceId: 8 },
  ];
  await webhooks.insertMany(docs.map((doc) => ({ ...doc, targetKey: `${doc._id}` })) as WebhookDoc[]);
  const log = Array.from({ length: 25_000 }, (_, nth) => ({ _id: nth, webhookId: 1 + (nth % 3), eventId: `${nth}` }));
  await deliveries.insertMany(log as DeliveryDoc[]);

  await removeInNamespace(ctx, 7);
  expect(await ctx.webhooks.after(0)).toMatchObject([{ _id: 3 }]);
  expect(await left()).toBe(25_000);

  const later = aProcess();
  const steps: number[] = [];
  const removeSome = async (webhookId: number) => {
    const removed = await later.ctx.deliveries.removeSome(webhookId);
    steps.push(removed);
    return removed;
  };
  let wakes = 0;
  const wakeRemoval = () => void wakes++;
  const counted = { ...later.ctx, deliveries: { ...later.ctx.deliveries, removeSome }, wakeRemoval };
  for (let passes = 0; passes === wakes; passes++) await removeDeliveries(counted);
  expect([Math.max(...steps), wakes]).toEqual([1_000, 1]);
  expect([await left(), await deliveries.countDocuments({ webhookId: 3 })]).toEqual([8_333, 8_333]);
  expect(await removeDeliveries(later.ctx)).toBe(0);
});

test("a webhook keeps its deliveries until it is removed, also if the process dies right after", async () => {
  const { ctx, webhooks, deliveries } = aProcess();
  await webhooks.insertMany([11, 12].map((_id) => ({ _id, namespaceId: 9, targetKey: `${_id}` })) as WebhookDoc[]);
  await deliveries.insertMany([11, 12].map((webhookId) => ({ _id: 100_000 + webhookId, webhookId })) as DeliveryDoc[]);
  const logged = () => deliveries.distinct("webhookId", { webhookId: { $in: [11, 12] } });
  const request = { namespaceId: 9, id: 12 };
  const call = { caller: { userId: 1 } } as Parameters<ReturnType<typeof deleteWebhook>>[1];
  const dying = (remove: Context["webhooks"]["remove"]) => ({
    ...ctx,
    accounts: { allow: async () => ({ namespaceIds: [9] }) } as unknown as Context["accounts"],
    webhooks: { ...ctx.webhooks, remove },
  });
  const dies = () => Promise.reject(new Error("killed"));
  await ctx.removedWebhooks.add([11]);
  await expect(deleteWebhook(dying(dies))(request, call)).rejects.toThrow("killed");
  expect(await removeDeliveries(aProcess().ctx)).toBe(0);
  expect(await logged()).toEqual([11, 12]);

  const removesAndDies = (ids: readonly number[]) => ctx.webhooks.remove(ids).then(dies);
  await expect(deleteWebhook(dying(removesAndDies))(request, call)).rejects.toThrow("killed");
  while ((await removeDeliveries(aProcess().ctx)) > 0);
  expect(await logged()).toEqual([11]);
});

test("webhooks that are noted and still exist hold up no removal, and let the loop rest", async () => {
  const { ctx, webhooks, deliveries } = aProcess();
  const existing = Array.from({ length: 30 }, (_, nth) => 21 + nth);
  await webhooks.insertMany(existing.map((_id) => ({ _id, namespaceId: 10, targetKey: `${_id}` })) as WebhookDoc[]);
  await deliveries.insertOne({ _id: 200_000, webhookId: 60, eventId: "60" } as DeliveryDoc);
  await ctx.removedWebhooks.add([...existing, 60]);
  expect(await removeDeliveries(ctx)).toBe(2);
  expect(await deliveries.findOne({ _id: 200_000 })).toBeNull();
  expect(await removeDeliveries(ctx)).toBe(0);
});
