import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { eventually } from "@ci/testkit/eventually";
import { startMongoWith, startStores } from "@ci/testkit/stores";
import { suite } from "@ci/testkit/suite";
import { connectClient } from "../src/mongo/client.js";
import { complainIfTaken, onlyRefusedBy } from "../src/mongo/duplicates.js";
import { awaitMongo, ensureIndexes, openMongo } from "../src/mongo/mongo.js";
import { page } from "../src/mongo/page.js";
import { containing } from "../src/mongo/search.js";
import { asFault } from "../src/rpc/fault.js";
import { pageOf } from "../src/rpc/page.js";

const { mongoUrl, mongoDb } = suite();
let mongo: Awaited<ReturnType<typeof openMongo>>;
beforeAll(async () => {
  mongo = await openMongo(mongoUrl, mongoDb);
});
afterAll(() => mongo[Symbol.asyncDispose]());

describe("page and pageOf", () => {
  const items = () => mongo.db.collection<{ _id: number }>("things");
  const readPage = (number?: number) =>
    page(
      items()
        .find({ _id: { $gt: 0 } })
        .sort({ _id: 1 }),
      number,
      () => items().countDocuments({ _id: { $gt: 0 } }),
    );
  beforeAll(async () => {
    await items().insertMany(Array.from({ length: 60 }, (_, n) => ({ _id: n + 1 })));
  });

  it.each([
    [undefined, 25, { hasNext: true }],
    [0, 25, { hasNext: true }],
    [3, 10, { hasNext: false }],
    [4, 0, { hasNext: false, lastPage: 3 }],
  ])("return page %s of 60 items with %i items and the links %j", async (number, length, info) => {
    const found = await readPage(number);
    expect(found.items).toHaveLength(length);
    expect(found.page).toEqual(info);
    expect(pageOf(Array.from({ length: 60 }), number)).toMatchObject({ page: info });
  });
});

it("pools look for too few connections only every ten seconds", async () => {
  await using client = await connectClient(mongoUrl, {});
  const { topology } = client as unknown as {
    topology: { s: { servers: Map<string, { pool: { options: object } }> } };
  };
  const pools = [...topology.s.servers.values()].map(({ pool }) => pool.options);
  expect(pools).toEqual([expect.objectContaining({ minPoolSize: 0, minPoolSizeCheckFrequencyMS: 10_000 })]);
});

it("containing matches text literally and ignores case", async () => {
  const names = mongo.db.collection<{ name: string }>("names");
  await ensureIndexes(names, [{ key: { name: 1 } }]);
  await names.insertMany(["a.b", "aXb", "A.B+", "(", "\\d", "x\0y"].map((name) => ({ name })));
  const find = async (text: string) =>
    (await names.find({ name: containing(text) as never }).toArray()).map((document) => document.name).sort();
  expect(await find("a.b")).toEqual(["A.B+", "a.b"]);
  expect(await find("(")).toEqual(["("]);
  expect(await find("\\d")).toEqual(["\\d"]);
  expect(await find("\0Y")).toEqual(["x\0y"]);
});

describe("onlyRefusedBy", () => {
  const items = (db = mongo.db) => db.collection<{ _id: number; name: string }>("many");
  const refusedByName = (insert: Promise<unknown>) => insert.catch((error) => onlyRefusedBy("name_1", error));
  const unordered = { ordered: false } as const;

  beforeAll(async () => {
    await ensureIndexes(items(), [{ key: { name: 1 }, unique: true }]);
    await items().insertOne({ _id: 1, name: "a" });
  });

  it("reports whether the named index alone rejected documents of an insert", async () => {
    const [duplicate, newItem, sameId] = [
      { _id: 2, name: "a" },
      { _id: 3, name: "b" },
      { _id: 1, name: "c" },
    ];
    expect(await refusedByName(items().insertMany([duplicate, newItem], unordered))).toBe(true);
    expect(await items().findOne({ _id: 3 })).toEqual(newItem);
    expect(await refusedByName(items().insertMany([duplicate, sameId], unordered))).toBe(false);
  });

  it("returns false if the connection breaks", async () => {
    await using broken = await connectionThatBreaks();
    const insert = items(broken.db).insertMany([{ _id: 4, name: "breaks here" }], unordered);
    expect(await refusedByName(insert)).toBe(false);
  });
});

/** Opens the database over a connection that breaks at each request that contains "breaks here". */
async function connectionThatBreaks(): Promise<AsyncDisposable & Pick<typeof mongo, "db">> {
  const { hostname, port } = new URL(mongoUrl);
  const proxy = createServer((clientSocket) => {
    const serverSocket = connect(Number(port), hostname);
    clientSocket.pipe(serverSocket).pipe(clientSocket);
    serverSocket.on("error", () => clientSocket.destroy());
    clientSocket.on("error", () => serverSocket.destroy());
    clientSocket.on("data", (bytes) => bytes.includes("breaks here") && clientSocket.destroy());
  }).listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const { port: proxyPort } = proxy.address() as AddressInfo;
  const broken = await openMongo(`mongodb://127.0.0.1:${proxyPort}/?directConnection=true`, mongoDb);
  return {
    db: broken.db,
    async [Symbol.asyncDispose]() {
      await broken[Symbol.asyncDispose]();
      proxy.close();
    },
  };
}

describe("a connection that breaks", () => {
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

  it.each(Object.keys(calls))("during %s makes the service unavailable", async (call) => {
    await using broken = await connectionThatBreaks();
    const thrown = await calls[call]!(broken.db).catch((error) => error);
    expect(asFault(thrown)).toMatchObject({ code: "unavailable", cause: thrown });
  });
});

it("asFault turns a connection that the server closes during a write into unavailable", async () => {
  const closingServer = createServer((socket) => socket.end()).listen(0, "127.0.0.1");
  await once(closingServer, "listening");
  const socket = connect((closingServer.address() as AddressInfo).port, "127.0.0.1").resume();
  await once(socket, "end");
  // The driver waits for `drain` in the same way and rethrows the raw socket error.
  const drained = once(socket, "drain").catch((error) => error);
  socket.write("x");
  expect(asFault(await drained)).toMatchObject({ code: "unavailable", cause: { code: "EPIPE" } });
  closingServer.close();
});

it("asFault turns a command that MongoDB rejects into an internal error", async () => {
  const refused = await mongo.db.command({ nonsense: 1 }).catch((error) => error);
  expect(asFault(refused)).toMatchObject({ code: "internal", cause: refused });
});

it("awaitMongo waits for an unreachable database, and ping fails while it hangs", async () => {
  await using stores = await startStores();
  await stores.mongo.kill();
  let attempts = 0;
  const opened = awaitMongo(stores.mongoUrl, "late", () => void attempts++);
  await eventually(() => expect(attempts).toBeGreaterThan(1));
  await stores.mongo.start();
  await using late = await opened;
  await eventually(() => late.ping());
  await stores.mongo.pause();
  await expect(late.ping()).rejects.toThrow();
  stores.mongo.resume();
  await eventually(() => late.ping());
});

it("awaitMongo waits for its user, and gives up if the password is wrong", async () => {
  await using server = await startMongoWith("--auth");
  const open = (password: string, onFailure: () => void) =>
    awaitMongo(`mongodb://late:${password}@${server.address}/?authSource=admin`, "late", onFailure);
  let attempts = 0;
  const opened = open("right", () => void attempts++);
  await Promise.race([opened, eventually(() => expect(attempts).toBeGreaterThan(1))]);
  await using local = await connectClient(`mongodb://${server.address}/`, {});
  await local.db("admin").command({ createUser: "late", pwd: "right", roles: ["root"] });
  await using late = await opened;
  await late.ping();
  await expect(open("wrong", () => undefined)).rejects.toThrow("MongoDB refuses the user or the password of MONGO_URL");
});

it("complainIfTaken names the field if a unique index rejects a document", async () => {
  const unique = mongo.db.collection<{ name: string }>("unique");
  await ensureIndexes(unique, [{ key: { name: 1 }, unique: true }]);
  await unique.insertOne({ name: "a" });
  const duplicate = unique.insertOne({ name: "a" }).catch(complainIfTaken("name", "Name already exists"));
  await expect(duplicate).rejects.toMatchObject({ code: "invalid", fields: { name: ["Name already exists"] } });
});

it("ping succeeds while other commands use every connection", async () => {
  const url = new URL(mongoUrl);
  url.searchParams.set("maxPoolSize", "1");
  await using busy = await openMongo(url.href, mongoDb);
  const things = busy.db.collection<{ _id: string }>("slow");
  await things.insertOne({ _id: "one" });
  let done = false;
  const slow = things.findOne({ _id: "one", $where: "sleep(60000) || true" }).finally(() => {
    done = true;
  });
  slow.catch(() => undefined);
  await eventually(() => busy.ping());
  expect(done).toBe(false);
});
