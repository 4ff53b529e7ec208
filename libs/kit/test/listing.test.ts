import { examined } from "@ci/testkit/examined";
import { suite } from "@ci/testkit/suite";
import { listPage, reachableFilters } from "../src/mongo/listing.js";
import { ensureIndexes, openMongo } from "../src/mongo/mongo.js";
import { searchFilter, termsOf } from "../src/mongo/search.js";

interface Thing {
  readonly _id: number;
  readonly place: number;
  readonly name: string;
  readonly terms: string[];
}

const { mongoUrl, mongoDb } = suite();
const order = { name: 1, _id: 1 } as const;
let mongo: Awaited<ReturnType<typeof openMongo>>;
const things = () => mongo.db.collection<Thing>("things");

beforeAll(async () => {
  mongo = await openMongo(mongoUrl, mongoDb);
  await ensureIndexes(things(), [{ key: { place: 1, ...order } }, { key: { place: 1, terms: 1, ...order } }]);
  // MongoDB orders characters beyond the first plane differently from JavaScript.
  const docs = Array.from({ length: 4_000 }, (_, n) => {
    const name = `${["a", "\u{ffee}", "😀"][n % 3]}${(n * 7_919) % 500}`;
    return { _id: n + 1, place: n % 500, name, terms: termsOf([name]) };
  });
  await things().insertMany(docs);
});
afterAll(() => mongo[Symbol.asyncDispose]());

const filters = (places: number, like: object = {}) =>
  reachableFilters<Thing>(
    { place: 0, ...like },
    Array.from({ length: places }, (_, n) => n + 1),
    (placeIds) => ({ place: { $in: placeIds }, ...like }),
  );

it.each([0, 1, 190, 191, 450])("lists the records of %s more places page by page", async (places) => {
  const all = await things()
    .find({ place: { $lte: places } })
    .sort(order)
    .map(({ _id }) => _id)
    .toArray();
  const last = Math.ceil(all.length / 25);
  for (const number of [undefined, 1, 2, last, last + 1, last + 2]) {
    const { items, page } = await listPage(things(), filters(places), order, number);
    const at = Math.max(1, number ?? 1);
    expect(items.map(({ _id }) => _id)).toEqual(all.slice((at - 1) * 25, at * 25));
    const lastPage = at > 1 && at > last ? last : undefined;
    expect(page).toEqual({ hasNext: at < last, ...(lastPage === undefined ? {} : { lastPage }) });
  }
});

it.each([0, 1, 190, 450])(
  "the first page of %s more places reads one page, and one key for each place",
  async (places) => {
    const queries = await examined(mongo.db, "things", () => listPage(things(), filters(places), order, 1));
    expect(queries).toHaveLength(Math.max(1, Math.ceil(places / 190)));
    for (const { keys, docs, sortedInMemory } of queries) {
      expect(sortedInMemory).toBe(false);
      expect(Math.max(keys, docs)).toBeLessThan(26 + 192);
    }
  },
);

it("finds any part of a name", async () => {
  const found = async (text: string) =>
    (await listPage(things(), filters(499, searchFilter("name", text)), order, 1)).items.map(({ name }) => name);
  const all = await things()
    .find({ place: { $gte: 0 } })
    .sort(order)
    .toArray();
  const names = all.map(({ name }) => name).filter((name) => name.includes("a49"));
  expect(names.length).toBeGreaterThan(25);
  expect(await found("A49")).toEqual(names.slice(0, 25));
  expect(await found("*49")).toEqual([]);
});
