import { randomUUID } from "node:crypto";
import { openMongo } from "@ci/kit/mongo/mongo";
import { suite } from "@ci/testkit/suite";
import { makeStreamIndexes } from "../src/store/indexes.js";
import { type NewRecord, type StreamDoc, streamStore } from "../src/store/stream.js";

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
    const records: StreamDoc[] = [];
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
