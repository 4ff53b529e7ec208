import { eventually } from "@ci/testkit/eventually";
import { lostPass } from "./_model-world.js";
import { bootBuilds, leaseMs } from "./_suite.js";

// Replicas whose clocks differ by more than any lease. All loops of all of them run beside these tests.

const offMs = 2 * leaseMs;
const ahead = () => new Date(Date.now() + offMs);
const behind = () => new Date(Date.now() - offMs);

const on = bootBuilds();
let fast: Awaited<ReturnType<typeof on.replica>>;
let slow: typeof fast;
beforeAll(async () => {
  fast = await on.replica(ahead);
  slow = await on.replica(behind);
});

const claimAt = async ({ queue }: typeof fast, runnerId: string) => {
  const { assignment } = await queue.claimBuild({ runnerId, drivers: ["os"] });
  return assignment!;
};

const get = async (number: number) => {
  const ref = { userId: on.users.ann.id, number };
  return (await on.as(on.users.ann, () => on.builds.getBuild({ ref, brief: false }))).build!;
};

/** What each of the three would take for lost now. */
async function passes() {
  for (const now of [ahead, behind, on.now]) {
    await using pass = await lostPass(on.names, on.config, now);
    await pass.run();
  }
}

it("a build that is claimed and renewed at any of them stays with its runner", async () => {
  for (const claimer of [slow, fast]) {
    const { number } = await on.submit(on.users.ann);
    const held = await claimAt(claimer, "r1");
    for (const { queue } of [fast, slow]) {
      await passes();
      expect((await queue.listLeases({ runnerId: "r1" })).leases).toEqual([
        { buildId: held.buildId, epoch: held.epoch },
      ]);
      expect(await queue.renewLease({ buildId: held.buildId, epoch: held.epoch })).toEqual({ kill: false });
    }
    await passes();
    expect(await get(number)).toMatchObject({ status: "running", tags: [], output: undefined });
    for (const job of held.jobs.keys()) await on.finish(held, job, "passed");
    expect((await get(number)).status).toBe("passed");
  }
});

it("requeues the build of a silent runner, no matter which replica granted or renewed its lease", async () => {
  for (const one of [slow, fast]) {
    const { number } = await on.submit(on.users.ann);
    const { buildId, epoch } = await claimAt(one, "silent");
    await one.queue.renewLease({ buildId, epoch });
    await on.loseRunners();
    await eventually(async () => expect((await get(number)).status).toBe("queued"));
    const again = await claimAt(one, "r2");
    expect(again).toMatchObject({ buildId, epoch: 2 });
    for (const job of again.jobs.keys()) await on.finish(again, job, "passed", "", (await get(number)).outputBytes);
    expect((await get(number)).status).toBe("passed");
  }
});

it("a runner that asks at one of them is known to all", async () => {
  const reason = async () => (await on.submit(on.users.bob)).queue!.reason;
  await on.elapse(10 * leaseMs);
  expect(await reason()).toBe("no runner for driver");
  await slow.queue.claimBuild({ runnerId: "r3", drivers: ["os"] });
  expect(await reason()).toBe("waiting for a runner");
  await on.elapse(10 * leaseMs);
  await fast.queue.claimBuild({ runnerId: "r4", drivers: ["os"] });
  expect(await reason()).toBe("waiting for a runner");
  await on.elapse(10 * leaseMs);
  expect(await reason()).toBe("no runner for driver");
});
