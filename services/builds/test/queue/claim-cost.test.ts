import type { Driver_Type } from "@ci/proto/builds/v1/queue";
import { eventually } from "@ci/testkit/eventually";
import { bootBuilds } from "../_suite.js";
import { crowd, database, stored } from "./_crowd.js";

const on = bootBuilds({ runningPerUser: 100_000, runningPerNamespace: 100_000 });
const data = database(on.names);

interface Profiled {
  ns: string;
  keysExamined?: number;
  docsExamined?: number;
}

/** What MongoDB looks at for a piece of work of the service. Its loops may run beside it, so the cheapest of three. */
async function examined(collections: readonly string[], work: () => Promise<unknown>): Promise<number> {
  const { db } = data;
  const sums: number[] = [];
  for (let tries = 0; tries < 3; tries++) {
    await db.dropCollection("system.profile");
    await db.command({ profile: 2 });
    await work();
    await db.command({ profile: 0 });
    const ns = collections.map((name) => `${db.databaseName}.${name}`);
    const found = await db.collection<Profiled>("system.profile").find({}).toArray();
    const own = found.filter((one) => ns.includes(one.ns));
    sums.push(own.reduce((sum, one) => sum + (one.keysExamined ?? 0) + (one.docsExamined ?? 0), 0));
  }
  return Math.min(...sums);
}

async function claimOne() {
  const drivers: Driver_Type[] = ["os", "docker"];
  const { assignment } = await on.queue.claimBuild({ runnerId: "r1", drivers });
  if (!assignment) throw new Error("Nothing waits");
  return assignment;
}

/** The number of ann's youngest build. */
let last = 0;

const claimCost = () => examined(["builds", "line", "slots", "runners"], claimOne);
/** A few more keys are the running builds that are counted for the limits. On a slow machine a loop is often at it. */
const costsLike = (few: number) => eventually(async () => expect(await claimCost()).toBeLessThanOrEqual(few + 20));

it("a claim looks at the same few keys whatever waits", async () => {
  const first = await stored(data.db, (await on.submit(on.users.ann)).id);
  await crowd(data.db, first, 20);
  const few = await claimCost();
  expect(few).toBeGreaterThan(0);

  last = (await crowd(data.db, first, 10_000)).at(-1)!.number;
  await costsLike(few);

  const userIds = Array.from({ length: 2_000 }, (_, n) => 50_000 + n);
  await crowd(data.db, first, 4_000, userIds);
  // A replica puts those who wait and do not stand in the line into it, when it starts.
  await on.replica();
  const line = data.db.collection("line");
  await eventually(async () => expect(await line.countDocuments({ driver: "os" })).toBe(2_001));
  await costsLike(few);
});

it("where a build stands is told from a bounded number of keys", async () => {
  const ref = { userId: on.users.ann.id, number: last };
  const get = () => on.as(on.users.ann, () => on.builds.getBuild({ ref, brief: true }));
  const list = () => on.as(on.users.ann, () => on.builds.listBuilds({ tag: "", search: "" }));
  expect((await get()).build!.queue!.position).toBe(500);
  // Turned on, what is remembered of the line is too old.
  const fresh = (work: () => Promise<unknown>) => () => {
    on.later(2_000);
    return work();
  };
  for (const ask of [get, list])
    await eventually(async () => expect(await examined(["builds", "line", "runners"], fresh(ask))).toBeLessThan(6_000));
});
