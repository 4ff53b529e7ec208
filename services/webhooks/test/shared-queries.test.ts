import { randomUUID } from "node:crypto";
import { suite } from "@ci/testkit/suite";
import { MongoClient } from "mongodb";
import { makeStreamIndexes } from "../src/store/indexes.js";
import { type Stream, type StreamDoc, streamStore } from "../src/store/stream.js";

const names = suite();
const readers = Array.from({ length: 500 });
let client: MongoClient;
let stream: Stream;
let finds = 0;

beforeAll(async () => {
  client = await new MongoClient(names.mongoUrl, { monitorCommands: true }).connect();
  const collection = client.db(names.mongoDb).collection<StreamDoc>("stream");
  await makeStreamIndexes(collection);
  stream = streamStore(collection);
  const places = [1, 2, 1].map((rootId) => ({ namespaceId: rootId, userId: 8, rootId }));
  const record = { kind: "build.started", payload: "{}", at: new Date() };
  await stream.append(places.map((place) => ({ ...record, ...place, eventId: randomUUID() })));
  client.on("commandStarted", ({ commandName }) => {
    if (commandName === "find") finds++;
  });
});
beforeEach(() => {
  finds = 0;
});
afterAll(() => client.close());

const idsOf = (records: readonly { _id: number }[]) => records.map(({ _id }) => _id);

test("all streams of a namespace that wake up together send at most two queries", async () => {
  const looks = await Promise.all(readers.map(() => stream.after(1, 0)));
  expect(looks.map(idsOf)).toEqual(readers.map(() => [1, 3]));
  expect(finds).toBeLessThanOrEqual(2);
});

test("all streams of a user that wake up together send at most two queries, and never with another reach", async () => {
  const look = (rootIds: readonly number[]) => readers.map(() => stream.reachable({ userId: 7, rootIds }, 0, 3));
  const [first, both] = await Promise.all([Promise.all(look([1])), Promise.all(look([1, 2]))]);
  expect(first.map(({ records }) => idsOf(records))).toEqual(readers.map(() => [1, 3]));
  expect(both.map(({ records }) => idsOf(records))).toEqual(readers.map(() => [1, 2, 3]));
  expect(finds).toBeLessThanOrEqual(4);
});

test("a query that begins later sees what was recorded meanwhile", async () => {
  const before = stream.after(5, 0);
  const record = { kind: "build.started", payload: "{}", at: new Date(), namespaceId: 5, eventId: randomUUID() };
  await stream.append([record]);
  const after = stream.after(5, 0);
  await before;
  expect(await after).toHaveLength(1);
});
