import { suite } from "@ci/testkit/suite";
import { openMongo } from "../src/mongo/mongo.js";
import { page } from "../src/mongo/page.js";

interface Item {
  readonly _id: number;
  readonly list: readonly number[];
}

const { mongoUrl, mongoDb } = suite();
let mongo: Awaited<ReturnType<typeof openMongo>>;
beforeAll(async () => {
  mongo = await openMongo(mongoUrl, mongoDb);
});
afterAll(() => mongo[Symbol.asyncDispose]());

/** Reads a page of documents with lists of this length; returns in how many turns of the event loop they were decoded. */
async function turnsOfPage(length: number): Promise<number> {
  const items = mongo.db.collection<Item>(`things${length}`);
  const list = Array.from({ length }, (_, n) => n);
  await items.insertMany(Array.from({ length: 25 }, (_, n) => ({ _id: n + 1, list })));
  let turn = 0;
  let done = false;
  const count = () => {
    turn++;
    if (!done) setImmediate(count);
  };
  count();
  const turns: number[] = [];
  const found = items.find({ _id: { $gt: 0 } }).sort({ _id: 1 });
  const read = await page(
    found.map((item) => {
      turns.push(turn);
      return item;
    }),
    1,
    async () => 25,
  );
  done = true;
  expect(read.items.map(({ _id }) => _id)).toEqual(Array.from({ length: 25 }, (_, n) => n + 1));
  return new Set(turns).size;
}

it("a page of documents with long lists is decoded in as many turns, a page of others in one", async () => {
  expect(await turnsOfPage(2_000)).toBe(25);
  expect(await turnsOfPage(10)).toBe(1);
});
