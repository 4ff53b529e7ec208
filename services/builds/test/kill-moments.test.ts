import { sendUpload } from "@ci/kit/bytes/upload";
import type { Build } from "@ci/proto/builds/v1/builds";
import type { PutArtifactRequest } from "@ci/proto/builds/v1/queue";
import { eventually } from "@ci/testkit/eventually";
import { bootBuilds, fault } from "./_suite.js";

// A kill may come at any moment of a build; kill-build.test.ts has the plain ones.

const on = bootBuilds();
const refOf = ({ userId, number }: Build) => ({ userId, number });
const kill = (build: Build, builds = on.builds) => on.as(on.users.ann, () => builds.killBuild({ ref: refOf(build) }));
const get = async (build: Build) =>
  (await on.as(on.users.ann, () => on.builds.getBuild({ ref: refOf(build), brief: false }))).build!;
const jobsOf = async (build: Build) => {
  const { jobs } = await on.as(on.users.ann, () => on.builds.listJobs({ ref: refOf(build), search: "" }));
  return jobs.map(({ status, startedAt, finishedAt }) => [status, startedAt !== undefined, finishedAt !== undefined]);
};
const finishedOnce = (build: Build) =>
  eventually(() => {
    const kinds = on.kinds(build.id);
    expect(kinds.at(-1)).toBe("build.finished");
    expect(kinds.filter((kind) => kind === "build.finished")).toHaveLength(1);
  });

async function claimed() {
  const build = await on.submit(on.users.ann);
  return { build, got: (await on.claim())! };
}

it("while it is claimed: either it never runs, or its runner is told", async () => {
  for (let round = 0; round < 10; round++) {
    const build = await on.submit(on.users.ann);
    const [got] = await Promise.all([on.claim(), kill(build)]);
    if (!got) {
      expect(await get(build)).toMatchObject({ status: "killed", startedAt: undefined });
      continue;
    }
    expect(await on.queue.renewLease({ buildId: got.buildId, epoch: got.epoch })).toEqual({
      kill: true,
      killedBy: "ann",
    });
    await on.finish(got, 0, "killed");
    expect((await get(build)).status).toBe("killed");
    await finishedOnce(build);
  }
});

it("while its environment is prepared: the other jobs never run", async () => {
  const { build, got } = await claimed();
  await kill(build);
  await on.finish(got, 0, "killed", "Pulling\n");
  expect(await jobsOf(build)).toEqual([
    ["killed", true, true],
    ["killed", false, true],
    ["killed", false, true],
  ]);
  expect((await get(build)).output).toBe("Pulling\n");
  await finishedOnce(build);
});

it("between two jobs: the job that has passed by then is the last", async () => {
  const { build, got } = await claimed();
  await kill(build);
  // The runner has not heard of it yet.
  expect(await on.finish(got, 0, "passed")).toEqual({ final: true });
  expect((await get(build)).status).toBe("killed");
  expect(await on.finish(got, 1, "passed", "late\n")).toEqual({ final: true });
  expect((await get(build)).output).toBeUndefined();
  expect(await jobsOf(build)).toEqual([
    ["killed", true, true],
    ["killed", false, true],
    ["killed", false, true],
  ]);
});

it("while an artifact is uploaded: nothing of it is kept once the build is over", async () => {
  const { build, got } = await claimed();
  await on.finish(got, 0, "passed");
  const header = { buildId: got.buildId, epoch: got.epoch, artifactId: got.jobs[1]!.artifacts[0]!.id };
  let goOn = () => {};
  const gate = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  let under: () => void;
  const underWay = new Promise<void>((resolve) => {
    under = resolve;
  });
  async function* halting(): AsyncGenerator<PutArtifactRequest> {
    async function* content() {
      yield Buffer.from("first half");
      under();
      await gate;
      yield Buffer.from("second half");
    }
    yield* sendUpload(header, content());
  }
  const uploading = fault(on.queue.putArtifact(halting()));
  await underWay;
  await kill(build);
  await on.finish(got, 1, "killed");
  goOn();
  expect(await uploading).toMatchObject({ code: "conflict" });
  const { artifact } = await on.as(on.users.ann, () => on.builds.getArtifact({ ref: refOf(build), name: "out.txt" }));
  expect(artifact).toMatchObject({ size: undefined, md5: undefined, sha256: undefined });
  expect((await get(build)).status).toBe("killed");
});

it("while it finishes: it is what came first, and ends once", async () => {
  for (let round = 0; round < 10; round++) {
    const { build, got } = await claimed();
    await on.finish(got, 0, "passed");
    await on.finish(got, 1, "passed");
    const [{ final }] = await Promise.all([on.finish(got, 2, "passed"), kill(build)]);
    expect(final).toBe(true);
    expect(["passed", "killed"]).toContain((await get(build)).status);
    await finishedOnce(build);
  }
});

it("back in the queue after its runner was lost: it does not run again, and keeps its text", async () => {
  const { build, got } = await claimed();
  await on.finish(got, 0, "passed", "once\n");
  await on.loseRunners();
  await eventually(async () => expect((await get(build)).status).toBe("queued"));
  await kill(build);
  const now = await get(build);
  expect(now).toMatchObject({ status: "killed", startedAt: undefined, finishedAt: expect.any(Date) });
  expect(now.output).toMatch(/^once\nRunner lost/);
  expect(await on.claim()).toBeUndefined();
  // The silent runner hears that it is over, and changes nothing.
  expect(await on.finish(got, 1, "passed", "late\n", now.outputBytes)).toEqual({ final: true });
  expect(await get(build)).toEqual(now);
  await finishedOnce(build);
});

it("asked for at one replica, told by the other", async () => {
  const other = await on.replica();
  const { build, got } = await claimed();
  await kill(build, other.builds);
  expect(await on.queue.renewLease({ buildId: got.buildId, epoch: got.epoch })).toEqual({
    kill: true,
    killedBy: "ann",
  });
  await on.finish(got, 0, "killed");
  await finishedOnce(build);
});

it("because its user is gone", async () => {
  const dan = await on.accounts.aUser("dan");
  const running = await on.submit(dan);
  const queued = await on.submit(dan);
  const got = (await on.claim())!;
  expect(got.buildId).toBe(running.id);
  const { user: admin } = await on.accounts.accounts.getUser({ by: { $case: "username", value: "admin" } });
  await on.as(admin!, () => on.accounts.accounts.deleteUser({ username: "dan" }));
  await eventually(async () =>
    expect(await on.queue.renewLease({ buildId: got.buildId, epoch: got.epoch })).toEqual({
      kill: true,
      killedBy: undefined,
    }),
  );
  await on.finish(got, 0, "killed");
  await finishedOnce(running);
  await finishedOnce(queued);
});
