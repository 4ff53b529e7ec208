import { suite } from "@ci/testkit/suite";
import { type Db, type Document, MongoClient } from "mongodb";
import { ensureIndexes, openMongo } from "../src/mongo/mongo.js";
import { type CountLimit, countQuota, ensureQuotas, quotaComplaints, withinQuotas } from "../src/mongo/quota.js";
import { asFault } from "../src/rpc/fault.js";

const names = suite();
const open = (url = names.mongoUrl) => openMongo(url, names.mongoDb);
const upTo = (last: number) => Array.from({ length: last }, (_, nth) => nth + 1);
const limit: CountLimit = { records: "Cron jobs", per: "user", max: 5 };
const full = { cron_jobs: ["Cron jobs cannot exceed 5 per user; delete one first"] };

const recordsIn = (db: Db) => db.collection<Document>("records");
const quotaOf = (db: Db, userId: number, max = limit.max, added = 1) =>
  countQuota(recordsIn(db), { userId }, { ...limit, max }, added);
const holdsIn = (db: Db) => db.collection<Document & { _id: string }>("quotaHolds");
let lastId = 0;
const add = (db: Db, userId: number, max?: number, write = async () => {}) => {
  const _id = ++lastId as never;
  return withinQuotas(db, [quotaOf(db, userId, max)], _id, async () => {
    await write();
    await recordsIn(db).insertOne({ _id, userId });
  });
};

beforeAll(async () => {
  await using mongo = await open();
  await ensureQuotas(mongo.db);
  await ensureQuotas(mongo.db);
  await ensureIndexes(recordsIn(mongo.db), [{ key: { userId: 1 } }]);
});

test("fifty concurrent writes of two processes store exactly what the quota allows", async () => {
  await using first = await open();
  await using second = await open();
  const results = await Promise.allSettled(upTo(50).map((nth) => add(nth % 2 === 0 ? first.db : second.db, 1)));
  expect(await recordsIn(first.db).countDocuments({ userId: 1 })).toBe(5);
  const refused = results.flatMap((result) => (result.status === "rejected" ? asFault(result.reason) : []));
  expect(refused).toHaveLength(45);
  for (const fault of refused) expect([fault.code, fault.fields]).toEqual(["invalid", full]);
});

test("a deletion makes room for exactly one more record", async () => {
  await using mongo = await open();
  for (const _ of upTo(5)) await add(mongo.db, 2);
  expect(await quotaComplaints([quotaOf(mongo.db, 2)])).toEqual(full);
  await expect(add(mongo.db, 2)).rejects.toMatchObject({ fields: full });
  await recordsIn(mongo.db).deleteOne({ userId: 2 });
  expect(await quotaComplaints([quotaOf(mongo.db, 2)])).toEqual({});
  await add(mongo.db, 2);
  await expect(add(mongo.db, 2)).rejects.toMatchObject({ fields: full });
});

test("each holder has a separate quota", async () => {
  await using mongo = await open();
  for (const _ of upTo(5)) await add(mongo.db, 3);
  await add(mongo.db, 4);
});

test("several new records are refused if they do not all fit, and 0 means no limit", async () => {
  await using mongo = await open();
  expect(await quotaComplaints([quotaOf(mongo.db, 5, 5, 5)])).toEqual({});
  expect(await quotaComplaints([quotaOf(mongo.db, 5, 5, 6)])).toEqual(full);
  for (const _ of upTo(6)) await add(mongo.db, 5, 0);
  expect(await quotaComplaints([quotaOf(mongo.db, 5, 0)])).toEqual({});
});

test("a failed write reports its own error and makes room again", async () => {
  await using mongo = await open();
  for (const _ of upTo(4)) await add(mongo.db, 6);
  const failing = () => Promise.reject(new Error("taken"));
  await expect(add(mongo.db, 6, 5, failing)).rejects.toThrow("taken");
  await add(mongo.db, 6);
});

test("a record that another process is about to store counts until its hold expires", async () => {
  await using mongo = await open();
  for (const _ of upTo(4)) await add(mongo.db, 8);
  let announced = () => {};
  const began = new Promise<void>((resolve) => {
    announced = resolve;
  });
  const stalled = add(mongo.db, 8, 5, () => new Promise(announced)).catch(() => undefined);
  await began;
  await expect(add(mongo.db, 8)).rejects.toMatchObject({ fields: full });
  void stalled;
  const holds = holdsIn(mongo.db);
  const { key } = quotaOf(mongo.db, 8);
  await holds.updateOne({ _id: key }, { $set: { "holds.$[].until": new Date(0) } });
  await add(mongo.db, 8);
});

test("stored records leave no holds behind", async () => {
  await using mongo = await open();
  await Promise.all(upTo(5).map(() => add(mongo.db, 9)));
  const { key } = quotaOf(mongo.db, 9);
  expect((await holdsIn(mongo.db).findOne({ _id: key }))?.holds ?? []).toEqual([]);
});

test("a count stops reading the index at the limit, however many records there are", async () => {
  await using client = new MongoClient(names.mongoUrl, { monitorCommands: true });
  const db = client.db(names.mongoDb);
  await recordsIn(db).insertMany(upTo(500).map(() => ({ userId: 7 })));
  await db.command({ profile: 2 });
  await quotaComplaints([quotaOf(db, 7)]);
  await db.command({ profile: 0 });
  const [profile] = await db.collection("system.profile").find({ "command.aggregate": "records" }).toArray();
  expect(profile?.keysExamined).toBeLessThanOrEqual(6);
});
