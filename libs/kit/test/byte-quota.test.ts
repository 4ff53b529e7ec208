import { suite } from "@ci/testkit/suite";
import type { Db, Document } from "mongodb";
import { type ByteLimit, byteQuota, withinRoom } from "../src/mongo/byte-quota.js";
import { ensureIndexes, openMongo } from "../src/mongo/mongo.js";
import { ensureQuotas, quotaComplaints, withinQuotas } from "../src/mongo/quota.js";
import { invalid } from "../src/rpc/fault.js";

const names = suite();
const open = () => openMongo(names.mongoUrl, names.mongoDb);
const upTo = (last: number) => Array.from({ length: last }, (_, nth) => nth + 1);
const limit: ByteLimit = { records: "objects", max: 1_000, remedy: "delete objects" };
const complaint = (used: string) => ({
  file: [
    `File exceeds the storage quota of 1000 bytes per user for objects, ${used} are used: delete objects to free space`,
  ],
});

const recordsIn = (db: Db) => db.collection<Document>("records");
const quotaOf = (db: Db, userId: number, bytes: number, max = limit.max) =>
  byteQuota(recordsIn(db), { matching: { userId }, field: "size" }, { ...limit, max }, bytes);
let lastId = 0;
const add = (db: Db, userId: number, size: number) => {
  const _id = ++lastId as never;
  return withinQuotas(db, [quotaOf(db, userId, size)], _id, () => recordsIn(db).insertOne({ _id, userId, size }));
};

beforeAll(async () => {
  await using mongo = await open();
  await ensureQuotas(mongo.db);
  await ensureIndexes(recordsIn(mongo.db), [{ key: { userId: 1, size: 1 } }]);
});

test("concurrent writes of two processes take exactly the bytes that the quota allows", async () => {
  await using first = await open();
  await using second = await open();
  const results = await Promise.allSettled(upTo(30).map((nth) => add(nth % 2 === 0 ? first.db : second.db, 1, 200)));
  expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(5);
  for (const result of results)
    if (result.status === "rejected") expect(result.reason).toMatchObject({ code: "invalid" });
});

test("a deletion frees exactly the bytes of the deleted record", async () => {
  await using mongo = await open();
  for (const size of [600, 300]) await add(mongo.db, 2, size);
  await expect(add(mongo.db, 2, 101)).rejects.toMatchObject({ fields: complaint("900 bytes") });
  expect(await quotaComplaints([quotaOf(mongo.db, 2, 100)])).toEqual({});
  await add(mongo.db, 2, 100);
  expect(await quotaComplaints([quotaOf(mongo.db, 2, 1)])).toEqual(complaint("1000 bytes"));
  await recordsIn(mongo.db).deleteOne({ userId: 2, size: 300 });
  await expect(add(mongo.db, 2, 301)).rejects.toMatchObject({ fields: complaint("700 bytes") });
  await add(mongo.db, 2, 300);
});

test("an upload may take what the quota has left, but no more than its own limit", async () => {
  await using mongo = await open();
  await add(mongo.db, 3, 900);
  const tooLarge = () => invalid({ file: ["too large"] });
  const small = await withinRoom(mongo.db, quotaOf(mongo.db, 3, 0), { maxBytes: 100, tooLarge });
  expect([small.maxBytes, small.tooLarge().fields]).toEqual([100, { file: ["too large"] }]);
  const large = await withinRoom(mongo.db, quotaOf(mongo.db, 3, 0), { maxBytes: 101, tooLarge });
  expect([large.maxBytes, large.tooLarge().fields]).toEqual([100, complaint("900 bytes")]);
  const free = await withinRoom(mongo.db, quotaOf(mongo.db, 3, 0, 0), { maxBytes: 101, tooLarge });
  expect([free.maxBytes, free.tooLarge().fields]).toEqual([101, { file: ["too large"] }]);
});

test("the sum is read from the index alone", async () => {
  await using mongo = await open();
  await recordsIn(mongo.db).insertMany(upTo(50).map(() => ({ userId: 4, size: 1 })));
  await mongo.db.command({ profile: 2 });
  expect(await quotaOf(mongo.db, 4, 0).used([])).toBe(50);
  await mongo.db.command({ profile: 0 });
  const [profile] = await mongo.db.collection("system.profile").find({ "command.aggregate": "records" }).toArray();
  expect(profile).toMatchObject({ docsExamined: 0, keysExamined: 50 });
});

test("uploads read a fixed number of documents, however many records there are", async () => {
  await using mongo = await open();
  await recordsIn(mongo.db).insertMany(upTo(500).map(() => ({ userId: 5, size: 1 })));
  const profiled = async (work: () => Promise<unknown>) => {
    await mongo.db.dropCollection("system.profile");
    await mongo.db.command({ profile: 2 });
    await work();
    await mongo.db.command({ profile: 0 });
    const read = { keysExamined: { $exists: true } };
    const commands = await mongo.db.collection("system.profile").find(read).toArray();
    return commands.reduce((sum, { keysExamined, docsExamined = 0 }) => sum + keysExamined + docsExamined, 0);
  };
  await add(mongo.db, 5, 1);
  const options = { maxBytes: 100, tooLarge: () => invalid({}) };
  const ten = await profiled(async () => {
    for (const _ of upTo(10)) {
      await withinRoom(mongo.db, quotaOf(mongo.db, 5, 0), options);
      await add(mongo.db, 5, 1);
    }
  });
  expect(ten).toBeLessThan(10 * 10);
  // Near the limit, the sum itself decides.
  await expect(add(mongo.db, 5, 490)).rejects.toMatchObject({ fields: complaint("511 bytes") });
  await add(mongo.db, 5, 489);
});

test("crashes, failures and deletions leave nothing behind that changes a decision", async () => {
  await using first = await open();
  await using second = await open();
  const records = recordsIn(first.db);
  const holds = first.db.collection<Document & { _id: string }>("quotaHolds");
  const { key } = quotaOf(first.db, 6, 0);
  const sizes = new Map<number, number>();
  const used = () => [...sizes.values()].reduce((sum, size) => sum + size, 0);
  // Pseudorandom numbers, the same in every run.
  let state = 1;
  const next = (below: number) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
  for (let nth = 0; nth < 150; nth++) {
    const db = nth % 2 === 0 ? first.db : second.db;
    const size = 1 + next(300);
    const action = next(6);
    if (action === 0) {
      const [id] = sizes.keys();
      if (id === undefined) continue;
      await records.deleteOne({ _id: id as never });
      sizes.delete(id);
    } else if (action === 1) {
      const failing = () => Promise.reject(new Error("lost"));
      const failed = withinQuotas(db, [quotaOf(db, 6, size)], -nth, failing);
      await expect(failed).rejects.toThrow(used() + size > limit.max ? "Invalid fields" : "lost");
    } else if (action === 2) {
      // A process announced a record, died, and its hold has expired.
      if (used() + size > limit.max) continue;
      await new Promise<void>((announced) => {
        const never = () => new Promise(() => announced());
        void withinQuotas(db, [quotaOf(db, 6, size)], -nth, never);
      });
      await holds.updateOne({ _id: key }, { $set: { "holds.$[].until": new Date(0) } });
    } else {
      const fits = used() + size <= limit.max;
      const added = await add(db, 6, size).then(
        () => true,
        () => false,
      );
      expect([nth, added]).toEqual([nth, fits]);
      if (added) sizes.set(lastId, size);
    }
  }
  expect(sizes.size).toBeGreaterThan(1);
});

test("a bound that is too low, for example because the quota was off, is trusted for at most an hour", async () => {
  await using mongo = await open();
  await add(mongo.db, 7, 1);
  await recordsIn(mongo.db).insertOne({ userId: 7, size: 999 });
  const holds = mongo.db.collection<Document & { _id: string }>("quotaHolds");
  const { bound } = (await holds.findOne({ _id: quotaOf(mongo.db, 7, 0).key }))!;
  expect(bound.until.getTime() - Date.now()).toBeLessThanOrEqual(3_600_000 + 60_000);
  await holds.updateOne({ _id: quotaOf(mongo.db, 7, 0).key }, { $set: { "bound.until": new Date(0) } });
  await expect(add(mongo.db, 7, 1)).rejects.toMatchObject({ fields: complaint("1000 bytes") });
});
