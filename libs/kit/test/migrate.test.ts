import { suite } from "@ci/testkit/suite";
import { MongoClient } from "mongodb";
import { type Migration, migrate } from "../src/mongo/migrate.js";
import { ensureIndexes } from "../src/mongo/mongo.js";
import { backfillTerms, termsOf } from "../src/mongo/search.js";

interface Thing {
  _id: number;
  name?: string;
  terms?: string[];
}

const { mongoUrl, mongoDb } = suite();
const client = new MongoClient(mongoUrl);
const db = client.db(mongoDb);
const things = db.collection<Thing>("things");
afterEach(() => db.dropDatabase());
afterAll(() => client.close());

const migration: Migration = {
  name: "things-terms",
  collection: "things",
  fills: backfillTerms("name"),
  retires: ["old"],
};
const start = new Date("2026-01-01T00:00:00Z");
const later = new Date("2026-01-01T01:00:01Z");

/** Runs while there is more to do; returns the number of steps. */
async function migrated(now: Date): Promise<number> {
  let steps = 1;
  while (await migrate(db, migration, now)) steps++;
  return steps;
}

const named = (count: number) => Array.from({ length: count }, (_, n) => ({ _id: n + 1, name: `thing number ${n}` }));
const lacking = async () =>
  (await things.find({ _id: { $gt: 0 } }).toArray()).filter(
    ({ name, terms }) => name !== undefined && terms?.join() !== termsOf([name]).join(),
  );
const indexes = async () => (await things.indexes()).map(({ name }) => name);

test("documents are filled in batches, except those without a name", async () => {
  await things.insertMany([...named(450), { _id: 451 }]);
  expect(await migrate(db, migration, start)).toBe(true);
  expect((await lacking()).map(({ _id }) => _id)[0]).toBe(201);
  expect(await migrated(start)).toBe(2);
  expect(await lacking()).toEqual([]);
  expect(await things.findOne({ _id: 451 })).toEqual({ _id: 451 });
});

test("documents written during a roll-out are filled an hour later; then the old index is dropped once", async () => {
  await ensureIndexes(things, [{ key: { name: -1 }, name: "old" }]);
  await things.insertMany(named(3));
  await migrated(start);
  await things.insertOne({ _id: 4, name: "by the old version" });
  await things.updateOne({ _id: 1 }, { $set: { name: "renamed by it" } });
  await migrated(new Date(later.getTime() - 2_000));
  expect((await lacking()).map(({ _id }) => _id)).toEqual([1, 4]);
  expect(await indexes()).toContain("old");
  await migrated(later);
  expect(await lacking()).toEqual([]);
  expect(await indexes()).not.toContain("old");
  await things.insertOne({ _id: 5, name: "after the end" });
  await migrated(new Date("2027-01-01T00:00:00Z"));
  expect((await lacking()).map(({ _id }) => _id)).toEqual([5]);
});

test("documents changed since they were read are not overwritten", async () => {
  await things.insertMany(named(200));
  const { reads, missing } = migration.fills!;
  let renamed: Promise<unknown> | undefined;
  const change = { $set: { name: "renamed", terms: termsOf(["renamed"]) } };
  const fills = {
    reads,
    // The batch has been read; the last of it is renamed long before its turn comes.
    missing(doc: object) {
      renamed ??= things.updateOne({ _id: 200 }, change);
      return missing(doc);
    },
  };
  expect(await migrate(db, { ...migration, fills }, start)).toBe(true);
  await renamed;
  expect(await lacking()).toEqual([]);
});

test("replicas may migrate at the same time", async () => {
  await ensureIndexes(things, [{ key: { name: -1 }, name: "old" }]);
  await things.insertMany(named(600));
  const all = (now: Date) => Promise.all([migrated(now), migrated(now), migrated(now)]);
  await all(start);
  expect(await lacking()).toEqual([]);
  await all(later);
  expect(await indexes()).not.toContain("old");
});
