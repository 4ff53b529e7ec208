import { openMongo } from "@ci/kit/mongo/mongo";
import { createLog } from "@ci/kit/process/log";
import { Fault } from "@ci/kit/rpc/fault";
import { AuditEntry } from "@ci/proto/namespaces/v1/audit";
import { suite } from "@ci/testkit/suite";
import { entryRecorder } from "../src/actions/record-entries.js";
import type { BuildDoc } from "../src/domain/build.js";
import { entryOf, readEntry, renumberedEntry } from "../src/domain/entry.js";
import { buildStore } from "../src/store/builds.js";
import { ensureAllIndexes } from "../src/store/indexes.js";

const names = suite();
let mongo: Awaited<ReturnType<typeof openMongo>>;
beforeAll(async () => {
  mongo = await openMongo(names.mongoUrl, names.mongoDb);
  await ensureAllIndexes(mongo.db);
});
afterAll(() => mongo[Symbol.asyncDispose]());

const now = new Date("2026-01-01T12:00:00Z");
const collection = () => mongo.db.collection<BuildDoc>("builds");
const entry = (id: string) => entryOf({ entry: AuditEntry.fromPartial({ id, status: 201 }) }, made(1));
const made = (number: number) => ({ userId: 1, username: "ann", number, namespace: undefined });

/** Stores builds of some seconds ago whose entries have these ids. */
async function holding(...ids: readonly [id: string, seconds: number][]): Promise<BuildDoc[]> {
  await collection().deleteMany({ _id: { $gt: 0 } });
  const docs = ids.map(([id, seconds], nth) => {
    const createdAt = new Date(now.getTime() - seconds * 1_000);
    return { _id: nth + 1, userId: 1, number: nth + 1, createdAt, auditEntry: entry(id) } as BuildDoc;
  });
  await collection().insertMany(docs as never);
  return docs;
}

const held = async () =>
  (
    await collection()
      .find({ auditEntry: { $exists: true }, createdAt: { $gt: new Date(0) } })
      .toArray()
  )
    .map(({ _id }) => _id)
    .sort();

/** A log that can be away, and refuses the entry `bad`. */
function recording() {
  const calls: AuditEntry[][] = [];
  const store = { isAway: false };
  const client = {
    async recordEntries({ entries }: { entries?: readonly object[] }) {
      const given = (entries ?? []).map((one) => AuditEntry.fromPartial(one));
      if (store.isAway) throw new Fault("unavailable", "away");
      if (given.some(({ id }) => id === "bad")) throw new Fault("internal", "bad");
      calls.push(given);
      return {};
    },
  };
  const builds = buildStore(mongo.db, () => undefined);
  const tasks = new Set<Promise<void>>();
  const recorder = entryRecorder({ client, builds, tasks, log: createLog("test", "silent"), now: () => now });
  const ids = () => calls.map((entries) => entries.map(({ id }) => id));
  return { calls, ids, store, tasks, ...recorder };
}

it("entries of new builds go with one call and say how old they are, and then leave the builds", async () => {
  const docs = await holding(["a", 1], ["b", 2]);
  const { record, ids, calls, tasks } = recording();
  record(docs);
  await Promise.all(tasks);
  expect(ids()).toEqual([["a", "b"]]);
  expect(calls[0]!.map(({ ageMs, record, status }) => [ageMs, record, status])).toEqual([
    [1_000, "/b/ann/1", 201],
    [2_000, "/b/ann/1", 201],
  ]);
  expect([await held(), tasks.size]).toEqual([[], 0]);
});

it("entries that cannot be stored stay with their builds, and a later pass moves those that are late", async () => {
  const docs = await holding(["new", 1], ["late", 11]);
  const { record, recordLeft, ids, store, tasks } = recording();
  store.isAway = true;
  record(docs);
  await Promise.all(tasks);
  await expect(recordLeft()).rejects.toThrow("away");
  expect(await held()).toEqual([1, 2]);
  store.isAway = false;
  expect(await recordLeft()).toBe(1);
  expect([ids(), await held()]).toEqual([[["late"]], [1]]);
});

it("an entry that the log refuses does not hold up the others", async () => {
  await holding(["a", 20], ["bad", 19], ["c", 18]);
  const { recordLeft, ids } = recording();
  expect(await recordLeft()).toBe(3);
  expect([ids(), await held()]).toEqual([[["a"], ["c"]], [2]]);
});

it("the entry of a build that gets another number names its new record", () => {
  expect(readEntry(renumberedEntry(entry("a"), 12))).toMatchObject({ id: "a", record: "/b/ann/12" });
});
