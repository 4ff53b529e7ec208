import { suite } from "@ci/testkit/suite";
import { BSON, type Collection, MongoClient } from "mongodb";
import { deliveryStore } from "../src/store/deliveries.js";
import { type DeliveryDoc, dueImmediately } from "../src/store/delivery-doc.js";
import { maxDue } from "../src/store/due-deliveries.js";
import { makeIndexes } from "../src/store/indexes.js";

const names = suite();
const at = new Date();
const kib = 1024;
let client: MongoClient;
let log: Collection<DeliveryDoc>;
let readBytes = 0;

beforeAll(async () => {
  client = new MongoClient(names.mongoUrl, { monitorCommands: true, ignoreUndefined: true });
  client.on("commandSucceeded", ({ reply }) => {
    readBytes += BSON.calculateObjectSize((reply as { cursor?: object }).cursor ?? {});
  });
  const db = client.db(names.mongoDb);
  log = db.collection("deliveries");
  await makeIndexes(db.collection("webhooks"), log, db.collection("senders"));
});
afterAll(() => client.close());

/** Stores due deliveries of a webhook: first attempts, then retries. Returns what is read from MongoDB for them. */
async function readDue(webhookId: number, { first, retries, payloadBytes = 2, responseBytes = 0 }: Sizes) {
  const request = { headers: {}, payload: "x".repeat(payloadBytes) };
  const response = { code: 500, headers: {}, body: "x".repeat(responseBytes), truncated: false };
  const docs = Array.from({ length: first + retries }, (_, nth) => {
    const _id = webhookId * 1_000 + nth;
    return { _id, webhookId, eventId: `${_id}`, dueAt: nth < first ? dueImmediately : at, request, response };
  });
  await log.insertMany(docs as unknown as DeliveryDoc[]);
  readBytes = 0;
  const due = await deliveryStore(log).due(webhookId, at);
  return { ...due, readBytes };
}

interface Sizes {
  readonly first: number;
  readonly retries: number;
  readonly payloadBytes?: number;
  readonly responseBytes?: number;
}

test("what is due is read without the responses to earlier attempts", async () => {
  const sizes = { first: maxDue, retries: 4, responseBytes: 64 * kib };
  const due = await readDue(1, sizes);
  expect(due.docs).toHaveLength(maxDue + 4);
  expect(due.docs.filter(({ response }) => response)).toEqual([]);
  expect(due.readBytes).toBeLessThan(64 * kib);
});

test("payloads are read a few at a time, so that the limit of bytes ends the reading", async () => {
  const payloadBytes = 16 * kib;
  const due = await readDue(2, { first: 0, retries: maxDue, payloadBytes });
  expect(due.docs).toHaveLength(9);
  expect(due.readBytes).toBeLessThan(17 * payloadBytes);
});

test("what is due is read without long payloads, which are read one by one", async () => {
  const payloadBytes = 128 * kib;
  const due = await readDue(3, { first: maxDue, retries: 4, payloadBytes });
  expect(due.docs).toHaveLength(maxDue + 4);
  expect(due.readBytes).toBeLessThan(payloadBytes);
  expect(new Set(due.docs.map(({ request }) => JSON.stringify(request)))).toEqual(new Set(['{"headers":{}}']));
  expect(due.docs[0]!.payloadBytes).toBe(payloadBytes);
  expect(await deliveryStore(log).payloadOf(due.docs[0]!._id)).toHaveLength(payloadBytes);
});

test("a delivery that shares its payload is read as it is stored", async () => {
  const shared = { sharedRequest: { headers: { Accept: "*/*" }, payloadId: "a", payloadBytes: 5_000 } };
  const doc = { _id: 4_000, webhookId: 4, eventId: "4", dueAt: dueImmediately, ...shared };
  await log.insertOne(doc as unknown as DeliveryDoc);
  const { docs } = await deliveryStore(log).due(4, at);
  expect(docs).toEqual([{ ...doc, payloadBytes: 0 }]);
});
