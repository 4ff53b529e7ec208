import { suite } from "@ci/testkit/suite";
import { MongoClient } from "mongodb";
import { type Migration, migrate } from "../src/mongo/migrate.js";
import { ensureIndexes } from "../src/mongo/mongo.js";
import { backfillTerms, termsOf } from "../src/mongo/search.js";

interface Item {
  _id: number;
  name?: string;
  terms?: string[];
}

const { mongoUrl, mongoDb } = suite();
const client = new MongoClient(mongoUrl);
const db = client.db(mongoDb);
const items = db.collection<Item>("things");
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

/** Runs all steps and returns their number. */
async function migrateAll(now: Date): Promise<number> {
  let steps = 1;
  while (await migrate(db, migration, now)) steps++;
  return steps;
}

const itemsWithNames = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ _id: n + 1, name: `thing number ${n}` }));
const withoutTerms = async () =>
  (await items.find({ _id: { $gt: 0 } }).toArray()).filter(
    ({ name, terms }) => name !== undefined && terms?.join() !== termsOf([name]).join(),
  );
const indexes = async () => (await items.indexes()).map(({ name }) => name);

test("migrate fills documents in batches, except those without a name", async () => {
  await items.insertMany([...itemsWithNames(450), { _id: 451 }]);
  expect(await migrate(db, migration, start)).toBe(true);
  expect((await withoutTerms()).map(({ _id }) => _id)[0]).toBe(201);
  expect(await migrateAll(start)).toBe(2);
  expect(await withoutTerms()).toEqual([]);
  expect(await items.findOne({ _id: 451 })).toEqual({ _id: 451 });
});

test("migrate fills documents of a rollout an hour later, then drops the old index once", async () => {
  await ensureIndexes(items, [{ key: { name: -1 }, name: "old" }]);
  await items.insertMany(itemsWithNames(3));
  await migrateAll(start);
  await items.insertOne({ _id: 4, name: "by the old version" });
  await items.updateOne({ _id: 1 }, { $set: { name: "renamed by it" } });
  await migrateAll(new Date(later.getTime() - 2_000));
  expect((await withoutTerms()).map(({ _id }) => _id)).toEqual([1, 4]);
  expect(await indexes()).toContain("old");
  await migrateAll(later);
  expect(await withoutTerms()).toEqual([]);
  expect(await indexes()).not.toContain("old");
  await items.insertOne({ _id: 5, name: "after the end" });
  await migrateAll(new Date("2027-01-01T00:00:00Z"));
  expect((await withoutTerms()).map(({ _id }) => _id)).toEqual([5]);
});

test("migrate does not overwrite documents that have changed since it read them", async () => {
  await items.insertMany(itemsWithNames(200));
  const { reads, missing } = migration.fills!;
  let renamed: Promise<unknown> | undefined;
  const change = { $set: { name: "renamed", terms: termsOf(["renamed"]) } };
  const fills = {
    reads,
    // The batch has been read. Its last document is renamed long before its turn.
    missing(doc: object) {
      renamed ??= items.updateOne({ _id: 200 }, change);
      return missing(doc);
    },
  };
  expect(await migrate(db, { ...migration, fills }, start)).toBe(true);
  await renamed;
  expect(await withoutTerms()).toEqual([]);
});

test("replicas that migrate at the same time fill all documents and drop the index", async () => {
  await ensureIndexes(items, [{ key: { name: -1 }, name: "old" }]);
  await items.insertMany(itemsWithNames(600));
  const all = (now: Date) => Promise.all([migrateAll(now), migrateAll(now), migrateAll(now)]);
  await all(start);
  expect(await withoutTerms()).toEqual([]);
  await all(later);
  expect(await indexes()).not.toContain("old");
});
