import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { eventually } from "@ci/testkit/eventually";
import { startStores } from "@ci/testkit/stores";
import { suite } from "@ci/testkit/suite";
import {
  awaitMongo,
  complainIfTaken,
  containing,
  ensureIndexes,
  onlyRefusedBy,
  openMongo,
  page,
  pageOf,
} from "../src/mongo/mongo.js";
import { asFault } from "../src/rpc/fault.js";

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

it("finds text literally, in upper and lower case", async () => {
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

  it("may be refused for some documents by the named index, and by no other", async () => {
    const [again, fresh, complainIfTaken] = [
      { _id: 2, name: "a" },
      { _id: 3, name: "b" },
      { _id: 1, name: "c" },
    ];
    expect(await refusedByName(things().insertMany([again, fresh], unordered))).toBe(true);
    expect(await things().findOne({ _id: 3 })).toEqual(fresh);
    expect(await refusedByName(things().insertMany([again, complainIfTaken], unordered))).toBe(false);
  });

  it("does not count as refused when the connection breaks", async () => {
    await using broken = await breaking();
    const insert = things(broken.db).insertMany([{ _id: 4, name: "breaks here" }], unordered);
    expect(await refusedByName(insert)).toBe(false);
  });
});

/** The database over a connection that is closed by every request with the text "breaks here". */
async function breaking(): Promise<AsyncDisposable & Pick<typeof mongo, "db">> {
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
  const broken = await openMongo(`mongodb://127.0.0.1:${nearPort}/?directConnection=true`, mongoDb);
  return {
    db: broken.db,
    async [Symbol.asyncDispose]() {
      await broken[Symbol.asyncDispose]();
      inBetween.close();
    },
  };
}

describe("a connection that breaks during a call", () => {
  const name = "breaks here";
  const calls: Record<string, (db: typeof mongo.db) => Promise<unknown>> = {
    find: (db) => db.collection("things").find({ name }).toArray(),
    aggregate: (db) =>
      db
        .collection("things")
        .aggregate([{ $match: { name } }])
        .toArray(),
    insertOne: (db) => db.collection("things").insertOne({ name }),
    insertMany: (db) => db.collection("things").insertMany([{ name }, { name }]),
    "insertMany unordered": (db) => db.collection("things").insertMany([{ name }, { name }], { ordered: false }),
    bulkWrite: (db) =>
      db.collection("things").bulkWrite([{ updateMany: { filter: { name }, update: { $set: { name } } } }]),
    updateMany: (db) => db.collection("things").updateMany({ name }, { $set: { name } }),
    findOneAndUpdate: (db) => db.collection("things").findOneAndUpdate({ name }, { $set: { name } }),
    createIndexes: (db) => ensureIndexes(db.collection<{ [name]: 1 }>("things"), [{ key: { [name]: 1 } }]),
  };

  it.each(Object.keys(calls))("makes the service unavailable: %s", async (call) => {
    await using broken = await breaking();
    const thrown = await calls[call]!(broken.db).catch((error) => error);
    expect(asFault(thrown)).toMatchObject({ code: "unavailable", cause: thrown });
  });
});

it("a connection that the server closes during a write makes the service unavailable", async () => {
  const closing = createServer((socket) => socket.end()).listen(0, "127.0.0.1");
  await once(closing, "listening");
  const socket = connect((closing.address() as AddressInfo).port, "127.0.0.1").resume();
  await once(socket, "end");
  // The driver waits for a socket to drain the same way and rethrows the raw socket error.
  const drained = once(socket, "drain").catch((error) => error);
  socket.write("x");
  expect(asFault(await drained)).toMatchObject({ code: "unavailable", cause: { code: "EPIPE" } });
  closing.close();
});

it("a refusal does not make the service unavailable", async () => {
  const refused = await mongo.db.command({ nonsense: 1 }).catch((error) => error);
  expect(asFault(refused)).toMatchObject({ code: "internal", cause: refused });
});

it("waits for an unreachable database", async () => {
  await using stores = await startStores();
  await stores.mongo.kill();
  let attempts = 0;
  const opened = awaitMongo(stores.mongoUrl, "late", () => void attempts++);
  await eventually(() => expect(attempts).toBeGreaterThan(1));
  await stores.mongo.start();
  await using late = await opened;
  await late.ping();
  stores.mongo.pause();
  // A process stops a moment after it is told to.
  await eventually(() => expect(late.ping()).rejects.toThrow());
  stores.mongo.resume();
  await eventually(() => late.ping());
});

it("names the field when a unique index refuses a document", async () => {
  const unique = mongo.db.collection<{ name: string }>("unique");
  await ensureIndexes(unique, [{ key: { name: 1 }, unique: true }]);
  await unique.insertOne({ name: "a" });
  const again = unique.insertOne({ name: "a" }).catch(complainIfTaken("name", "Name already exists"));
  await expect(again).rejects.toMatchObject({ code: "invalid", fields: { name: ["Name already exists"] } });
});
