import type { Blobs } from "@ci/kit/bytes/blobs";
import { openMongo } from "@ci/kit/mongo/mongo";
import type { Cron } from "@ci/proto/builds/v1/crons";
import { eventually } from "@ci/testkit/eventually";
import { limitOf } from "@ci/testkit/quotas";
import { type Db, MongoClient } from "mongodb";
import { applyDeletion } from "../src/actions/apply-deletion.js";
import type { Context } from "../src/context.js";
import type { BuildDoc } from "../src/domain/build.js";
import { type BuildStore, buildStore } from "../src/store/builds.js";
import { cronStore } from "../src/store/crons.js";
import { ensureAllIndexes } from "../src/store/indexes.js";
import { aBuild } from "./_build.js";
import { cronsOf, dayMs } from "./_crons.js";
import { startLostPass } from "./_model-world.js";
import { bootBuilds } from "./_suite.js";

// A record may have many MiB, and the heap does not hold many of them.

const suite = bootBuilds();
const crons = cronsOf(suite);

/** Counts the things that are in work. */
function inWork() {
  const open = new Set<number>();
  const counts = { begun: 0, peak: 0 };
  return {
    counts,
    begin(id: number) {
      counts.begun++;
      open.add(id);
      counts.peak = Math.max(counts.peak, open.size);
    },
    end: (id: number) => open.delete(id),
  };
}

/** Boots a database that the service does not know. */
async function ownDatabase(name: string) {
  const mongo = await openMongo(suite.names.mongoUrl, `${suite.names.mongoDb}_${name}`);
  await ensureAllIndexes(mongo.db);
  return mongo;
}

it("a few lost builds are requeued at a time, and each is read once", async () => {
  await using mongo = await ownDatabase("lost");
  const lease = { runnerId: "r1", epoch: 1, until: new Date(0) };
  const docs = Array.from({ length: 30 }, (_, n) =>
    aBuild({ _id: n + 1, userId: n, number: n + 1, status: "running", epoch: 1, lease }),
  );
  await mongo.db.collection<BuildDoc>("builds").insertMany(docs);
  const { counts, begin, end } = inWork();
  const counting = (store: BuildStore): BuildStore => ({
    ...store,
    current(id) {
      begin(id);
      return store.current(id);
    },
    change: (id, ...how) => store.change(id, ...how).finally(() => end(id)),
  });
  const config = { ...suite.config, mongoDb: mongo.db.databaseName };
  await using pass = await startLostPass(suite.names, config, suite.now, counting);
  expect(await pass.run()).toBe(30);
  expect(await mongo.db.collection("builds").countDocuments({ status: "queued" })).toBe(30);
  expect(counts).toEqual({ begun: 30, peak: 4 });
});

it("builds of a deleted user are killed one at a time, and one that fails keeps back no other", async () => {
  await using mongo = await ownDatabase("killed");
  const builds = mongo.db.collection<BuildDoc>("builds");
  await builds.insertMany([1, 2, 3, 4, 5].map((_id) => aBuild({ _id, userId: 7, number: _id })));
  const { counts, begin, end } = inWork();
  const store = buildStore(mongo.db, () => undefined);
  const change: BuildStore["change"] = (id, ...how) => {
    begin(id);
    const changing = id === 2 ? Promise.reject(new Error("2 cannot be changed")) : store.change(id, ...how);
    return changing.finally(() => end(id));
  };
  const ctx = { builds: { ...store, change }, bus: { nudge() {} }, wakeups: { wake() {} }, now: suite.now };
  const killing = applyDeletion(ctx as unknown as Context, { kind: "user", id: 7 });
  await expect(killing).rejects.toThrow("2 cannot be changed");
  expect(await builds.countDocuments({ status: "killed" })).toBe(4);
  expect(counts).toEqual({ begun: 5, peak: 1 });
});

/** Stores eight builds of one user and one of another, whose runners went silent. Each has an artifact. */
async function storeLost({ db }: { db: Db }): Promise<void> {
  const lease = { runnerId: "r1", epoch: 1, until: new Date(0) };
  const lost = (id: number) => {
    const artifact = {
      id,
      entryId: id,
      name: "a",
      source: "a",
      jobId: 2,
      blobId: `blob ${id}`,
      size: 1,
      createdAt: new Date(0),
    };
    const which = { _id: id, userId: id < 9 ? 1 : 2, number: id };
    return aBuild({ ...which, status: "running", epoch: 1, lease, artifacts: [artifact] as never });
  };
  await db.collection<BuildDoc>("builds").insertMany(Array.from({ length: 9 }, (_, n) => lost(n + 1)));
}
const never = () => new Promise<never>(() => undefined);

it("no lost build waits for the deletion of artifacts", async () => {
  await using mongo = await ownDatabase("contents");
  await storeLost(mongo);
  const config = { ...suite.config, mongoDb: mongo.db.databaseName };
  const stuck = (contents: Blobs): Blobs => ({ ...contents, delete: never });
  await using pass = await startLostPass(suite.names, config, suite.now, undefined, stuck);
  expect(await pass.run()).toBe(9);
  expect(await mongo.db.collection("builds").countDocuments({ status: "queued" })).toBe(9);
  expect(await mongo.db.collection("artifacts.uploads").estimatedDocumentCount()).toBe(9);
});

it("a lost build waits for no other user's", async () => {
  await using mongo = await ownDatabase("shares");
  await storeLost(mongo);
  const config = { ...suite.config, mongoDb: mongo.db.databaseName };
  const stuck = (store: BuildStore): BuildStore => ({
    ...store,
    current: (id) => (id < 9 ? never() : store.current(id)),
  });
  await using pass = await startLostPass(suite.names, config, suite.now, stuck);
  void pass.run();
  await eventually(async () =>
    expect(await mongo.db.collection("builds").countDocuments({ userId: 2, status: "queued" })).toBe(1),
  );
});

it("interrupted groups are read one at a time, and each is announced before the next is read", async () => {
  await using mongo = await ownDatabase("groups");
  const groups = Array.from({ length: 5 }, (_, n) => {
    const docs = [1, 2].map((nth) =>
      aBuild({ _id: 10 * n + nth, number: 10 * n + nth, group: { id: n, size: 2, index: nth } }),
    );
    return { _id: 10 * n + 1, docs };
  });
  await mongo.db.collection<{ _id: number }>("groups").insertMany(groups);
  const steps: string[] = [];
  await using client = new MongoClient(suite.names.mongoUrl, { monitorCommands: true, ignoreUndefined: true });
  client.on("commandSucceeded", ({ reply }) => {
    const { cursor } = reply as { cursor?: { ns: string; firstBatch: { docs?: unknown }[] } };
    const whole = cursor?.firstBatch.filter(({ docs }) => docs) ?? [];
    if (whole.length > 0) steps.push(`read ${whole.length}`);
  });
  const store = buildStore(client.db(mongo.db.databaseName), () => undefined);
  const completed = await store.completeGroups(async (docs) => void steps.push(`announce ${docs.length}`));
  expect(completed).toBe(10);
  expect(steps).toEqual(groups.flatMap(() => ["read 1", "announce 2"]));
  expect(await mongo.db.collection("groups").countDocuments({})).toBe(0);
});

it("a few of the cron jobs that are due at once run at a time, and their manifests are not read before", async () => {
  const created: Cron[] = [];
  for (let n = 0; n < 25; n++) created.push(await crons.create(suite.users.ann));
  const real = cronStore(suite.database(), () => undefined, limitOf("Cron jobs", "user"));
  const { counts, begin, end } = inWork();
  const found: object[] = [];
  const counting: typeof real = {
    ...real,
    async waking(...which) {
      const ids = await real.waking(...which);
      found.push(...ids);
      return ids;
    },
    async change(was, set, eventOf) {
      if (set.prevRun === undefined) begin(was._id);
      const doc = await real.change(was, set, eventOf);
      if (set.prevRun !== undefined) end(was._id);
      return doc;
    },
  };
  await using _ahead = await suite.startService({
    now: () => new Date(suite.now().getTime() + dayMs),
    crons: counting,
  });
  await eventually(async () => {
    for (const { id } of created) expect((await crons.get(suite.users.ann, id)).prevRun).toBeDefined();
  });
  expect(counts.begun).toBeGreaterThanOrEqual(25);
  // Half of the ten at once are a single user's share.
  expect(counts.peak).toBe(5);
  expect(new Set(found.flatMap(Object.keys))).toEqual(new Set(["_id", "userId", "wakeAt"]));
});

it("a cron job waits for no other user's, however many of them are due before", async () => {
  for (let n = 0; n < 60; n++) await crons.create(suite.users.ann);
  const other = await crons.create(suite.users.bob);
  const real = cronStore(suite.database(), () => undefined, limitOf("Cron jobs", "user"));
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const stuck: typeof real = {
    ...real,
    async change(was, ...how) {
      if (was.userId === suite.users.ann.id) await released;
      return real.change(was, ...how);
    },
  };
  const twoDaysOn = () => new Date(suite.now().getTime() + 2 * dayMs);
  await using _ahead = await suite.startService({ now: twoDaysOn, crons: stuck });
  try {
    await eventually(async () => expect((await crons.get(suite.users.bob, other.id)).prevRun).toBeDefined());
  } finally {
    release();
  }
});
