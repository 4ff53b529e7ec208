import { randomUUID } from "node:crypto";
import { openMongo } from "@ci/kit/mongo/mongo";
import { suite } from "@ci/testkit/suite";
import { makeStreamIndexes } from "../src/store/indexes.js";
import { type NewRecord, type StreamDoc, streamStore } from "../src/store/stream.js";
import type { StreamRecord } from "../src/store/stream-batches.js";

const names = suite();
const namespaces = [1, 2, 3];

const aRecord = (index: number): NewRecord => ({
  eventId: randomUUID(),
  namespaceId: namespaces[index % namespaces.length]!,
  kind: "build.started",
  payload: String(index),
  at: new Date(),
});

async function* batches(all: readonly NewRecord[], size: number) {
  for (let from = 0; from < all.length; from += size) yield all.slice(from, from + size);
}

test("a reader that resumes misses no record and gets none twice while several processes append", async () => {
  await using mongo = await openMongo(names.mongoUrl, names.mongoDb);
  const collection = mongo.db.collection<StreamDoc>("stream");
  await makeStreamIndexes(collection);
  const stream = streamStore(collection);
  const all = Array.from({ length: 600 }, (_, index) => aRecord(index));
  let writing = true;
  const readers = namespaces.map(async (namespaceId) => {
    const records: StreamRecord[] = [];
    for (let last = false; ; ) {
      const found = await stream.after(namespaceId, records.at(-1)?._id ?? 0);
      records.push(...found);
      if (last && found.length === 0) return records;
      last = !writing;
    }
  });
  // As during a takeover, the processes append the same events in batches of different sizes.
  const writers = [7, 11, 40].map(async (size) => {
    for await (const batch of batches(all, size)) await stream.append(batch);
  });
  await Promise.all(writers);
  writing = false;
  for (const [index, records] of (await Promise.all(readers)).entries()) {
    const expected = all.filter(({ namespaceId }) => namespaceId === namespaces[index]);
    expect(records.map(({ payload }) => payload)).toEqual(expected.map(({ payload }) => payload));
  }
  expect(await stream.last()).toBe(all.length);
});

test("a user's batches have all records within reach in order, however many roots and bytes there are", async () => {
  await using mongo = await openMongo(names.mongoUrl, `${names.mongoDb}_reach`);
  const collection = mongo.db.collection<StreamDoc>("stream");
  await makeStreamIndexes(collection);
  const stream = streamStore(collection);
  const rootIds = Array.from({ length: 400 }, (_, index) => index + 1);
  const all = Array.from({ length: 500 }, (_, index): NewRecord => {
    const place = index % 3 === 0 ? { userId: 7 } : { userId: 8, rootId: index % 2 ? 1 : 399 };
    // The first root's records are cut off by their size, and those of the last one by their number.
    return { ...aRecord(index), ...place, payload: `${index} `.padEnd(place.rootId === 1 ? 100_000 : 1) };
  });
  await stream.append(all);
  await stream.append(
    all.slice(0, 3).map((record, index) => ({ ...record, eventId: `${index}`, userId: 8, rootId: 401 })),
  );
  const records: StreamRecord[] = [];
  const end = await stream.end();
  for (let position = 0; position < end; ) {
    const batch = await stream.reachable({ userId: 7, rootIds }, position, end);
    records.push(...batch.records);
    position = batch.until;
  }
  expect(records.map(({ eventId }) => eventId)).toEqual(all.map(({ eventId }) => eventId));
  const _id = { $gt: 5, $lte: end };
  const or = [
    {
      $or: [
        { userId: 7, _id },
        { rootId: { $in: rootIds.slice(0, 190) }, _id },
      ],
    },
    { _id: end },
  ];
  const { executionStats } = await collection.find({ $or: or }).sort({ _id: 1 }).limit(64).explain("executionStats");
  // One key for each result, and one for each root, the user and the end.
  expect(executionStats.totalKeysExamined).toBeLessThan(64 + 2 * 192);
});

test("a user's batch ends where a majority had everything, and skips nothing that a new primary does not know yet", async () => {
  await using mongo = await openMongo(names.mongoUrl, `${names.mongoDb}_failover`);
  const collection = mongo.db.collection<StreamDoc>("stream");
  await makeStreamIndexes(collection);
  const stream = streamStore(collection);
  await stream.append([7, 8, 7, 8, 7, 7].map((userId, index) => ({ ...aRecord(index), userId })));
  const read = async (position: number, end: number, userId = 7) => {
    const { records, until } = await stream.reachable({ userId, rootIds: [] }, position, end);
    return { ids: records.map(({ _id }) => _id), until };
  };
  expect(await read(1, 4)).toEqual({ ids: [3], until: 4 });
  expect(await read(1, 6, 9)).toEqual({ ids: [], until: 6 });
  // As if a majority had these on the old primary, and the new one does not know that yet.
  const unknown = await collection.find({ _id: { $gt: 2 } }).toArray();
  await collection.deleteMany({ _id: { $gt: 2 } });
  expect(await read(1, 6)).toEqual({ ids: [], until: 1 });
  await collection.insertMany(unknown);
  expect(await read(1, 6)).toEqual({ ids: [3, 5, 6], until: 6 });
});

test("positions continue after all earlier records were removed", async () => {
  await using mongo = await openMongo(names.mongoUrl, `${names.mongoDb}_pruned`);
  const collection = mongo.db.collection<StreamDoc>("stream");
  await makeStreamIndexes(collection);
  const stream = streamStore(collection);
  await stream.append(Array.from({ length: 5 }, (_, index) => aRecord(index)));
  const later = new Date(Date.now() + 1_000);
  expect([await stream.prune(later), await stream.prune(later)]).toEqual([4, 0]);
  await stream.append([aRecord(5)]);
  expect(await stream.last()).toBe(6);
});
