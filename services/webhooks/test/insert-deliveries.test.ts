import { openMongo } from "@ci/kit/mongo/mongo";
import { suite } from "@ci/testkit/suite";
import type { Collection } from "mongodb";
import { deliveryStore } from "../src/store/deliveries.js";
import { type DeliveryDoc, dueImmediately } from "../src/store/delivery-doc.js";
import { makeIndexes } from "../src/store/indexes.js";

const names = suite();
let mongo: Awaited<ReturnType<typeof openMongo>>;
let log: Collection<DeliveryDoc>;

beforeAll(async () => {
  mongo = await openMongo(names.mongoUrl, names.mongoDb);
  log = mongo.db.collection("deliveries");
  await makeIndexes(mongo.db.collection("webhooks"), log, mongo.db.collection("senders"));
});
afterAll(() => mongo[Symbol.asyncDispose]());
beforeEach(() => log.deleteMany({ _id: { $gt: 0 } }));

/** Returns deliveries of events to one webhook, with ids from `firstId` on. */
const deliveries = (firstId: number, eventIds: readonly string[]) =>
  eventIds.map((eventId, nth) => ({ _id: firstId + nth, webhookId: 1, eventId, dueAt: dueImmediately }) as DeliveryDoc);
const stored = () =>
  log
    .find({ webhookId: 1 }, { sort: { webhookId: 1, _id: 1 } })
    .map(({ _id, eventId }) => `${_id} ${eventId}`)
    .toArray();

const insert = (docs: readonly DeliveryDoc[]) => deliveryStore(log).insert(docs, () => undefined);

test("repeated events are stored once, and new ones in order", async () => {
  expect(await insert(deliveries(1, ["a", "b"]))).toBe(true);
  expect(await insert(deliveries(11, ["a", "c", "b", "d", "d", "e"]))).toBe(false);
  expect(await stored()).toEqual(["1 a", "2 b", "12 c", "14 d", "16 e"]);
  expect(await insert(deliveries(21, ["a", "e"]))).toBe(false);
  expect(await stored()).toHaveLength(5);
});

test("a failed insert stores nothing after the failure, and can be repeated", async () => {
  await insert(deliveries(3, ["a"]));
  await expect(insert(deliveries(2, ["b", "c", "d"]))).rejects.toThrow("_id_ dup key");
  expect(await stored()).toEqual(["2 b", "3 a"]);
  await insert(deliveries(10, ["b", "c", "d"]));
  expect(await stored()).toEqual(["2 b", "3 a", "11 c", "12 d"]);
});
