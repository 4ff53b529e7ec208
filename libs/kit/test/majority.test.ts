import { startMongoPair } from "@ci/testkit/stores";
import { type Outbox, type OutboxEvent, outboxEvent } from "../src/mongo/document.js";
import { ensureIndexes, openMongo } from "../src/mongo/mongo.js";
import { outboxIndex } from "../src/mongo/outbox.js";
import type { OutboxDoc } from "../src/mongo/outbox-batch.js";
import { courier } from "../src/mongo/outbox-courier.js";
import { createLog } from "../src/process/log.js";

let pair: Awaited<ReturnType<typeof startMongoPair>>;
let mongo: Awaited<ReturnType<typeof openMongo>>;
beforeAll(async () => {
  pair = await startMongoPair();
  mongo = await openMongo(pair.mongoUrl, "majority");
});
afterAll(async () => {
  pair.second.resume();
  await mongo[Symbol.asyncDispose]();
  await pair[Symbol.asyncDispose]();
});

const event = (seq: number) => outboxEvent({ kind: "build.pinned", at: new Date(), buildId: 1, seq, body: undefined });

it("the relay publishes what another process has written only once a majority has it", async () => {
  const docs = mongo.db.collection<Outbox & { _id: number }>("docs");
  await ensureIndexes(docs, [outboxIndex]);
  const published: string[] = [];
  const publish = async ({ id }: OutboxEvent) => void published.push(id);
  const options = { signal: new AbortController().signal, log: createLog("test", "silent") };
  const relaying = () => courier(docs as never as Parameters<typeof courier>[0], publish, options);
  const events = Array.from({ length: 6 }, (_, seq) => event(seq));
  await pair.second.pause();
  await docs.insertOne({ _id: 1, outbox: events }, { writeConcern: { w: 1 } });
  await relaying().sweep();
  expect(published).toEqual([]);
  pair.second.resume();
  await docs.insertOne({ _id: 2, outbox: [] });
  await relaying().sweep();
  expect(published).toEqual(events.map(({ id }) => id));
  expect(await docs.findOne<OutboxDoc>({ _id: 1 }, { readConcern: "majority" })).toMatchObject({ outbox: [] });
});
