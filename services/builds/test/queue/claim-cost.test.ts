import type { Driver_Type } from "@ci/proto/builds/v1/queue";
import { eventually } from "@ci/testkit/eventually";
import { bootBuilds } from "../_suite.js";
import { crowd, database, storedBuild } from "./_crowd.js";
import { examined } from "./_examined.js";

const suite = bootBuilds({ runningPerUser: 100_000, runningPerNamespace: 100_000 });
const data = database(suite.names);

async function claimOne() {
  const drivers: Driver_Type[] = ["os", "docker"];
  const { assignment } = await suite.queue.claimBuild({ runnerId: "r1", drivers });
  if (!assignment) throw new Error("No build is queued");
  return assignment;
}

/** The number of ann's newest build. */
let last = 0;

const claimCost = () => examined(data.db, ["builds", "line", "slots", "runners"], claimOne);
/** Allows for the running builds, which the limits count. Retries, since loops run often on a slow machine. */
const costsLike = (baseline: number) =>
  eventually(async () => expect(await claimCost()).toBeLessThanOrEqual(baseline + 20));

it("a claim reads equally few keys, no matter how many builds are queued", async () => {
  const first = await storedBuild(data.db, (await suite.submit(suite.users.ann)).id);
  await crowd(data.db, first, 20);
  const baseline = await claimCost();
  expect(baseline).toBeGreaterThan(0);

  last = (await crowd(data.db, first, 10_000)).at(-1)!.number;
  await costsLike(baseline);

  const userIds = Array.from({ length: 2_000 }, (_, n) => 50_000 + n);
  await crowd(data.db, first, 4_000, userIds);
  // A starting replica adds the waiting users who are missing from the line.
  await suite.replica();
  const line = data.db.collection("line");
  await eventually(async () => expect(await line.countDocuments({ driver: "os" })).toBe(2_001));
  await costsLike(baseline);
});

it("finding a build's place in the queue reads a bounded number of keys", async () => {
  const ref = { userId: suite.users.ann.id, number: last };
  const get = () => suite.as(suite.users.ann, () => suite.builds.getBuild({ ref, brief: true }));
  const list = () => suite.as(suite.users.ann, () => suite.builds.listBuilds({ tag: "", search: "" }));
  expect((await get()).build!.queue!.position).toBe(500);
  // Advancing the clock expires the cached line.
  const fresh = (work: () => Promise<unknown>) => () => {
    suite.advanceClock(2_000);
    return work();
  };
  for (const read of [get, list])
    await eventually(async () =>
      expect(await examined(data.db, ["builds", "line", "runners"], fresh(read))).toBeLessThan(6_000),
    );
});
