import { eventually } from "@ci/testkit/eventually";
import { startLostPass } from "./_model-world.js";
import { bootBuilds, leaseMs } from "./_suite.js";

// The replicas' clocks differ by more than any lease, and all of their loops run during these tests.

const skewMs = 2 * leaseMs;
const ahead = () => new Date(Date.now() + skewMs);
const behind = () => new Date(Date.now() - skewMs);

const suite = bootBuilds();
let fast: Awaited<ReturnType<typeof suite.replica>>;
let slow: typeof fast;
beforeAll(async () => {
  fast = await suite.replica(ahead);
  slow = await suite.replica(behind);
});

const claimAt = async ({ queue }: typeof fast, runnerId: string) => {
  const { assignment } = await queue.claimBuild({ runnerId, drivers: ["os"] });
  return assignment!;
};

const get = async (number: number) => {
  const ref = { userId: suite.users.ann.id, number };
  return (await suite.as(suite.users.ann, () => suite.builds.getBuild({ ref, brief: false }))).build!;
};

/** Runs the pass for lost builds with the clock of each replica. */
async function runLostPasses() {
  for (const now of [ahead, behind, suite.now]) {
    await using pass = await startLostPass(suite.names, suite.config, now);
    await pass.run();
  }
}

it("a build stays with its runner, no matter which replica grants or renews its lease", async () => {
  for (const claimer of [slow, fast]) {
    const { number } = await suite.submit(suite.users.ann);
    const assignment = await claimAt(claimer, "r1");
    for (const { queue } of [fast, slow]) {
      await runLostPasses();
      expect((await queue.listLeases({ runnerId: "r1" })).leases).toEqual([
        { buildId: assignment.buildId, epoch: assignment.epoch },
      ]);
      expect(await queue.renewLease({ buildId: assignment.buildId, epoch: assignment.epoch })).toEqual({ kill: false });
    }
    await runLostPasses();
    expect(await get(number)).toMatchObject({ status: "running", tags: [], output: undefined });
    for (const job of assignment.jobs.keys()) await suite.finish(assignment, job, "passed");
    expect((await get(number)).status).toBe("passed");
  }
});

it("the build of a silent runner is requeued, no matter which replica granted or renewed its lease", async () => {
  for (const replica of [slow, fast]) {
    const { number } = await suite.submit(suite.users.ann);
    const { buildId, epoch } = await claimAt(replica, "silent");
    await replica.queue.renewLease({ buildId, epoch });
    await suite.loseRunners();
    await eventually(async () => expect((await get(number)).status).toBe("queued"));
    const requeued = await claimAt(replica, "r2");
    expect(requeued).toMatchObject({ buildId, epoch: 2 });
    for (const job of requeued.jobs.keys())
      await suite.finish(requeued, job, "passed", "", (await get(number)).outputBytes);
    expect((await get(number)).status).toBe("passed");
  }
});

it("all replicas soon know a runner that has claimed at one of them", async () => {
  const manifest = "driver: {type: docker, image: x, workspace: /work}";
  const reason = async () => (await suite.submit(suite.users.bob, manifest)).queue!.reason;
  await suite.elapse(10 * leaseMs);
  expect(await reason()).toBe("no runner for driver");
  await slow.queue.claimBuild({ runnerId: "r3", drivers: ["docker"] });
  await eventually(async () => expect(await reason()).toBe("waiting for a runner"));
  await suite.elapse(10 * leaseMs);
  await fast.queue.claimBuild({ runnerId: "r4", drivers: ["docker"] });
  await eventually(async () => expect(await reason()).toBe("waiting for a runner"));
  await suite.elapse(10 * leaseMs);
  expect(await reason()).toBe("no runner for driver");
});
