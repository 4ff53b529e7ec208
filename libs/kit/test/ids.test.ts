import { startMongo } from "@ci/testkit/stores";
import { suite } from "@ci/testkit/suite";
import { type Db, MongoClient } from "mongodb";
import { nextId, nextIds } from "../src/mongo/ids.js";
import { openMongo } from "../src/mongo/mongo.js";

const { mongoUrl, mongoDb } = suite();
const open = (url = mongoUrl) => openMongo(url, mongoDb);
const range = (length: number) => Array.from({ length }, (_, n) => n + 1);
const ascending = (numbers: readonly number[]) => [...numbers].sort((a, b) => a - b);

it("counts on without a gap, in order of the calls, also for fifty at the same time", async () => {
  await using mongo = await open();
  const all = await Promise.all(range(50).map(() => nextId(mongo.db, "one")));
  expect(all).toEqual(range(50));
  expect(await nextId(mongo.db, "one", 3)).toBe(51);
  expect(await nextId(mongo.db, "one")).toBe(54);
});

it("goes on behind what another process has taken", async () => {
  await using first = await open();
  await using second = await open();
  const all: number[] = [];
  for (let n = 0; n < 5; n++) all.push(await nextId(first.db, "both"), await nextId(second.db, "both"));
  expect(all).toEqual(range(10));
});

it("gives several kinds at once, each number to one process only", async () => {
  await using first = await open();
  await using second = await open();
  const dbs = [first.db, second.db];
  const asked = range(400).map((n) => nextIds(dbs[n % 2]!, "ids", { build: 1, job: n % 7, tag: 0 }));
  const all = await Promise.all(asked);
  const taken = (kind: "build" | "job", size: (n: number) => number) =>
    all.flatMap((ids, index) => range(size(index + 1)).map((nth) => ids[kind] + nth - 1));
  for (const numbers of [taken("build", () => 1), taken("job", (n) => n % 7)])
    expect(new Set(numbers).size).toBe(numbers.length);
});

it("gives more at once than a block has", async () => {
  await using mongo = await open();
  const { job } = await nextIds(mongo.db, "many", { job: 2_500 });
  const { job: next } = await nextIds(mongo.db, "many", { job: 1 });
  expect(next).toBeGreaterThanOrEqual(job + 2_500);
});

it("asks the database once for a thousand ids of several kinds", async () => {
  await using client = new MongoClient(mongoUrl, { monitorCommands: true });
  const db = client.db(mongoDb);
  let commands = 0;
  client.on("commandStarted", () => commands++);
  for (let n = 0; n < 1_000; n++) await nextIds(db, "blocks", { build: 1, tag: 1 });
  expect(commands).toBe(1);
});

/** Reserves until the database is gone; returns what was answered. */
async function reserveUntilGone(db: Db, worker: number, started: () => void): Promise<Record<string, number[]>> {
  const given: Record<string, number[]> = { one: [], blocks: [], user: [] };
  try {
    for (;;) {
      given.one!.push(await nextId(db, "one"));
      given.user!.push((await nextId(db, `builds/${worker % 3}`)) * 3 + (worker % 3));
      given.blocks!.push((await nextIds(db, "ids", { build: 600 })).build);
      if (given.one!.length === 3) started();
    }
  } catch {
    return given;
  }
}

it("gives nothing twice when MongoDB is killed in the middle, however often", async () => {
  await using server = await startMongo();
  const given: Record<string, number[]> = { one: [], blocks: [], user: [] };
  for (let round = 0; round < 4; round++) {
    await using first = new MongoClient(server.mongoUrl, { serverSelectionTimeoutMS: 500 });
    await using second = new MongoClient(server.mongoUrl, { serverSelectionTimeoutMS: 500 });
    let [underWay, killed]: [number, Promise<void> | undefined] = [0, undefined];
    const started = () => {
      underWay++;
      if (underWay === 12) killed = server.mongo.kill();
    };
    const dbs = [first.db(mongoDb), second.db(mongoDb)];
    const workers = range(12).map((n) => reserveUntilGone(dbs[n % 2]!, n, started));
    for (const some of await Promise.all(workers))
      for (const [kind, numbers] of Object.entries(some)) given[kind]!.push(...numbers);
    await killed;
    await server.mongo.start();
  }
  for (const numbers of Object.values(given)) {
    expect(numbers.length).toBeGreaterThanOrEqual(100);
    expect(ascending(numbers)).toEqual(ascending([...new Set(numbers)]));
  }
});
