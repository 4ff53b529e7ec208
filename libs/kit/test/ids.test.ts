import { startMongo } from "@ci/testkit/stores";
import { suite } from "@ci/testkit/suite";
import { type Db, MongoClient } from "mongodb";
import { duplicateKey } from "../src/mongo/duplicates.js";
import { nextId, nextIds, nextNumber } from "../src/mongo/ids.js";
import { openMongo } from "../src/mongo/mongo.js";

const { mongoUrl, mongoDb } = suite();
const open = (url = mongoUrl) => openMongo(url, mongoDb);
const range = (length: number) => Array.from({ length }, (_, n) => n + 1);
const ascending = (numbers: readonly number[]) => [...numbers].sort((a, b) => a - b);

it("nextId returns consecutive ids in order of the calls, also for fifty at once", async () => {
  await using mongo = await open();
  const results = await Promise.all(range(50).map(() => nextId(mongo.db, "one")));
  expect(results).toEqual(range(50));
  expect(await nextId(mongo.db, "one", 3)).toBe(51);
  expect(await nextId(mongo.db, "one")).toBe(54);
});

it("nextId continues after the ids of another process", async () => {
  await using first = await open();
  await using second = await open();
  const results: number[] = [];
  for (let n = 0; n < 5; n++) results.push(await nextId(first.db, "both"), await nextId(second.db, "both"));
  expect(results).toEqual(range(10));
});

it("nextIds reserves ids of several kinds, each for one process only", async () => {
  await using first = await open();
  await using second = await open();
  const dbs = [first.db, second.db];
  const pending = range(400).map((n) => nextIds(dbs[n % 2]!, "ids", { build: 1, job: n % 7, tag: 0 }));
  const results = await Promise.all(pending);
  const taken = (kind: "build" | "job", size: (n: number) => number) =>
    results.flatMap((ids, index) => range(size(index + 1)).map((nth) => ids[kind] + nth - 1));
  for (const numbers of [taken("build", () => 1), taken("job", (n) => n % 7)])
    expect(new Set(numbers).size).toBe(numbers.length);
});

it("nextIds reserves more ids than a block holds", async () => {
  await using mongo = await open();
  const { job } = await nextIds(mongo.db, "many", { job: 2_500 });
  const { job: next } = await nextIds(mongo.db, "many", { job: 1 });
  expect(next).toBeGreaterThanOrEqual(job + 2_500);
});

it("nextIds sends one command for a thousand ids of several kinds", async () => {
  await using client = new MongoClient(mongoUrl, { monitorCommands: true });
  const db = client.db(mongoDb);
  let commands = 0;
  client.on("commandStarted", () => commands++);
  for (let n = 0; n < 1_000; n++) await nextIds(db, "blocks", { build: 1, tag: 1 });
  expect(commands).toBe(1);
});

it("nextId and nextNumber share a counter, but no write: each has its own write concern", async () => {
  await using client = new MongoClient(mongoUrl, { monitorCommands: true });
  const db = client.db(mongoDb);
  const concerns: unknown[] = [];
  client.on("commandStarted", ({ command }) => concerns.push(command.writeConcern));
  const numbers = await Promise.all([nextNumber(db, "shared"), nextId(db, "shared", 3), nextNumber(db, "shared")]);
  expect(new Set(numbers).size).toBe(3);
  const durable = { w: "majority", j: true };
  expect(concerns.filter((concern) => JSON.stringify(concern) === JSON.stringify(durable))).toHaveLength(1);
});

/** As `openMongo` makes all writes. */
const durably = { writeConcern: { w: "majority", journal: true } } as const;

/** Reserves ids until the database is killed, and returns them. */
async function reserveUntilGone(db: Db, worker: number, started: () => void): Promise<Record<string, number[]>> {
  const returned: Record<string, number[]> = { one: [], blocks: [], user: [], stored: [] };
  try {
    for (;;) {
      returned.one!.push(await nextId(db, "one"));
      returned.user!.push((await nextId(db, `builds/${worker % 3}`)) * 3 + (worker % 3));
      returned.blocks!.push((await nextIds(db, "ids", { build: 600 })).build);
      const number = await nextNumber(db, "stored");
      await db.collection<{ _id: number }>("stored").insertOne({ _id: number }, durably);
      returned.stored!.push(number);
      if (returned.one!.length === 3) started();
    }
  } catch (error) {
    // The number of a stored record was returned again.
    if (duplicateKey(error)) throw error;
    return returned;
  }
}

it("no id and no number of a stored record is returned twice, however often MongoDB is killed", async () => {
  await using server = await startMongo();
  const returned: Record<string, number[]> = { one: [], blocks: [], user: [], stored: [] };
  for (let round = 0; round < 4; round++) {
    await using first = new MongoClient(server.mongoUrl);
    await using second = new MongoClient(server.mongoUrl);
    const kill = async () => {
      await server.mongo.kill();
      // The workers do not wait for the next MongoDB.
      await Promise.all([first.close(), second.close()]);
    };
    let [startedWorkers, killed]: [number, Promise<void> | undefined] = [0, undefined];
    const started = () => {
      startedWorkers++;
      if (startedWorkers === 12) killed = kill();
    };
    const dbs = [first.db(mongoDb), second.db(mongoDb)];
    const workers = range(12).map((n) => reserveUntilGone(dbs[n % 2]!, n, started));
    for (const numbersByKind of await Promise.all(workers))
      for (const [kind, numbers] of Object.entries(numbersByKind)) returned[kind]!.push(...numbers);
    await killed;
    await server.mongo.start();
  }
  for (const [kind, numbers] of Object.entries(returned)) {
    expect(numbers.length).toBeGreaterThanOrEqual(100);
    expect([kind, ascending(numbers)]).toEqual([kind, ascending([...new Set(numbers)])]);
  }
});
