import { examined } from "@ci/testkit/examined";
import { suite } from "@ci/testkit/suite";
import { listTime, refuseSlow } from "../src/mongo/list-time.js";
import { listPage, reachableFilters } from "../src/mongo/listing.js";
import { ensureIndexes, openMongo } from "../src/mongo/mongo.js";
import { searchFilter, termsOf } from "../src/mongo/search.js";
import { asFault } from "../src/rpc/fault.js";

interface Item {
  readonly _id: number;
  readonly place: number;
  readonly name: string;
  readonly terms: string[];
}

const { mongoUrl, mongoDb } = suite();
const order = { name: 1, _id: 1 } as const;
let mongo: Awaited<ReturnType<typeof openMongo>>;
const records = () => mongo.db.collection<Item>("things");

beforeAll(async () => {
  mongo = await openMongo(mongoUrl, mongoDb);
  await ensureIndexes(records(), [{ key: { place: 1, ...order } }, { key: { place: 1, terms: 1, ...order } }]);
  // MongoDB and JavaScript sort characters outside the Basic Multilingual Plane differently.
  const docs = Array.from({ length: 4_000 }, (_, n) => {
    const name = `${["a", "\u{ffee}", "😀"][n % 3]}${(n * 7_919) % 500}`;
    return { _id: n + 1, place: n % 500, name, terms: termsOf([name]) };
  });
  await records().insertMany(docs);
});
afterAll(() => mongo[Symbol.asyncDispose]());

const filters = (placeCount: number, like: object = {}) =>
  reachableFilters<Item>(
    { place: 0, ...like },
    Array.from({ length: placeCount }, (_, n) => n + 1),
    (placeIds) => ({ place: { $in: placeIds }, ...like }),
  );

it.each([0, 1, 190, 191, 450])("listPage pages through the records of one place and %s others", async (placeCount) => {
  const all = await records()
    .find({ place: { $lte: placeCount } })
    .sort(order)
    .map(({ _id }) => _id)
    .toArray();
  const last = Math.ceil(all.length / 25);
  for (const number of [undefined, 1, 2, last, last + 1, last + 2]) {
    const { items, page } = await listPage(records(), filters(placeCount), order, number);
    const pageNumber = Math.max(1, number ?? 1);
    expect(items.map(({ _id }) => _id)).toEqual(all.slice((pageNumber - 1) * 25, pageNumber * 25));
    const lastPage = pageNumber > 1 && pageNumber > last ? last : undefined;
    expect(page).toEqual({ hasNext: pageNumber < last, ...(lastPage === undefined ? {} : { lastPage }) });
  }
});

it.each([0, 1, 190])(
  "listPage reads only one page and one key per place for the first page of one place and %s others",
  async (placeCount) => {
    const queries = await examined(mongo.db, "things", () => listPage(records(), filters(placeCount), order, 1));
    expect(queries).toHaveLength(1);
    for (const { keys, docs, sortedInMemory } of queries) {
      expect(sortedInMemory).toBe(false);
      expect(Math.max(keys, docs)).toBeLessThan(26 + 192);
    }
  },
);

it.each([1, 100, 1_000_000_000])("listPage receives at most 26 records for page %s of 450 places", async (number) => {
  await mongo.db.dropCollection("system.profile");
  await mongo.db.command({ profile: 2 });
  await listPage(records(), filters(450), order, number);
  await mongo.db.command({ profile: 0 });
  const read = await mongo.db.collection("system.profile").find().toArray();
  expect(Math.max(...read.map(({ nreturned }) => nreturned))).toBeLessThanOrEqual(26);
  // Each of three scans reads a key per place and a page; a late page reads the earlier keys too.
  const keys = Math.max(...read.map(({ keysExamined }) => keysExamined));
  expect(keys).toBeLessThan(number === 1 ? 3 * (26 + 192) : 4_500);
});

it("listPage finds records by any part of their name", async () => {
  const search = async (text: string) =>
    (await listPage(records(), filters(499, searchFilter("name", text)), order, 1)).items.map(({ name }) => name);
  const all = await records()
    .find({ place: { $gte: 0 } })
    .sort(order)
    .toArray();
  const names = all.map(({ name }) => name).filter((name) => name.includes("a49"));
  expect(names.length).toBeGreaterThan(25);
  expect(await search("A49")).toEqual(names.slice(0, 25));
  expect(await search("*49")).toEqual([]);
});

it("listPage limits the time of each query, for one filter and for many", async () => {
  await mongo.db.dropCollection("system.profile");
  await mongo.db.command({ profile: 2 });
  for (const [placeCount, number] of [
    [0, 1],
    [0, 1_000],
    [450, 1],
    [450, 1_000],
  ])
    await listPage(records(), filters(placeCount!), order, number);
  await mongo.db.command({ profile: 0 });
  const ns = `${mongo.db.databaseName}.things`;
  const commands = await mongo.db.collection("system.profile").find({ ns }).toArray();
  // The first pages take one and two queries, the others two and three.
  expect(commands.length).toBeGreaterThanOrEqual(6);
  expect(new Set(commands.map(({ command }) => command.maxTimeMS))).toEqual(new Set([listTime.maxTimeMS]));
});

it("a query that runs out of time is refused with a message", async () => {
  const slow = records().find({ place: 1, $where: "sleep(50) || true" }).maxTimeMS(1).toArray();
  const { code, message } = asFault(await slow.catch(refuseSlow).catch((error: unknown) => error));
  expect({ code, message }).toEqual({
    code: "exhausted",
    message: "The list takes too long to read: narrow the search, or try again later",
  });
});
