import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { suite } from "@ci/testkit/suite";
import {
  complainIfTaken,
  containing,
  ensureIndexes,
  onlyRefusedBy,
  openMongo,
  page,
  pageOf,
} from "../src/mongo/mongo.js";

const { mongoUrl, mongoDb } = suite();
let mongo: Awaited<ReturnType<typeof openMongo>>;
beforeAll(async () => {
  mongo = await openMongo(mongoUrl, mongoDb);
});
afterAll(() => mongo[Symbol.asyncDispose]());

describe("a page", () => {
  const things = () => mongo.db.collection<{ _id: number }>("things");
  const ask = (number?: number) =>
    page(
      things()
        .find({ _id: { $gt: 0 } })
        .sort({ _id: 1 }),
      number,
      () => things().countDocuments({ _id: { $gt: 0 } }),
    );
  beforeAll(async () => {
    await things().insertMany(Array.from({ length: 60 }, (_, n) => ({ _id: n + 1 })));
  });

  it.each([
    [undefined, 25, { hasNext: true }],
    [0, 25, { hasNext: true }],
    [3, 10, { hasNext: false }],
    [4, 0, { hasNext: false, lastPage: 3 }],
  ])("number %s of 60 items", async (number, length, info) => {
    const found = await ask(number);
    expect(found.items).toHaveLength(length);
    expect(found.page).toEqual(info);
    expect(pageOf(Array.from({ length: 60 }), number)).toMatchObject({ page: info });
  });
});

it("finds text literally, in upper or lower case", async () => {
  const names = mongo.db.collection<{ name: string }>("names");
  await ensureIndexes(names, [{ key: { name: 1 } }]);
  await names.insertMany(["a.b", "aXb", "A.B+", "(", "\\d", "x\0y"].map((name) => ({ name })));
  const find = async (text: string) =>
    (await names.find({ name: containing(text) as never }).toArray()).map((one) => one.name).sort();
  expect(await find("a.b")).toEqual(["A.B+", "a.b"]);
  expect(await find("(")).toEqual(["("]);
  expect(await find("\\d")).toEqual(["\\d"]);
  expect(await find("\0Y")).toEqual(["x\0y"]);
});

describe("an insert of many", () => {
  const things = (db = mongo.db) => db.collection<{ _id: number; name: string }>("many");
  const refusedByName = (insert: Promise<unknown>) => insert.catch((error) => onlyRefusedBy("name_1", error));
  const unordered = { ordered: false } as const;

  beforeAll(async () => {
    await ensureIndexes(things(), [{ key: { name: 1 }, unique: true }]);
    await things().insertOne({ _id: 1, name: "a" });
  });

  it("may be refused by the index that is named, for some, and by no other", async () => {
    const [again, fresh, complainIfTaken] = [
      { _id: 2, name: "a" },
      { _id: 3, name: "b" },
      { _id: 1, name: "c" },
    ];
    expect(await refusedByName(things().insertMany([again, fresh], unordered))).toBe(true);
    expect(await things().findOne({ _id: 3 })).toEqual(fresh);
    expect(await refusedByName(things().insertMany([again, complainIfTaken], unordered))).toBe(false);
  });

  it("is not taken for refused when the connection breaks", async () => {
    const { hostname, port } = new URL(mongoUrl);
    const inBetween = createServer((near) => {
      const far = connect(Number(port), hostname);
      near.pipe(far).pipe(near);
      far.on("error", () => near.destroy());
      near.on("error", () => far.destroy());
      near.on("data", (bytes) => bytes.includes("breaks here") && near.destroy());
    }).listen(0, "127.0.0.1");
    await once(inBetween, "listening");
    const { port: nearPort } = inBetween.address() as AddressInfo;
    await using broken = await openMongo(`mongodb://127.0.0.1:${nearPort}/?directConnection=true`, mongoDb);
    const insert = things(broken.db).insertMany([{ _id: 4, name: "breaks here" }], unordered);
    expect(await refusedByName(insert)).toBe(false);
    inBetween.close();
  });
});

it("names the field when a unique index says no", async () => {
  const unique = mongo.db.collection<{ name: string }>("unique");
  await ensureIndexes(unique, [{ key: { name: 1 }, unique: true }]);
  await unique.insertOne({ name: "a" });
  const again = unique.insertOne({ name: "a" }).catch(complainIfTaken("name", "Name already exists"));
  await expect(again).rejects.toMatchObject({ code: "invalid", fields: { name: ["Name already exists"] } });
});
