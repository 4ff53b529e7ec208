import { sendUpload } from "@ci/kit/bytes/upload";
import type { Build } from "@ci/proto/builds/v1/builds";
import type { PutArtifactRequest } from "@ci/proto/builds/v1/queue";
import { eventually } from "@ci/testkit/eventually";
import { bootBuilds, fault } from "./_suite.js";

// Kills at awkward moments of a build. kill-build.test.ts has the plain cases.

const suite = bootBuilds();
const refOf = ({ userId, number }: Build) => ({ userId, number });
const kill = (build: Build, builds = suite.builds) =>
  suite.as(suite.users.ann, () => builds.killBuild({ ref: refOf(build) }));
const get = async (build: Build) =>
  (await suite.as(suite.users.ann, () => suite.builds.getBuild({ ref: refOf(build), brief: false }))).build!;
const jobsOf = async (build: Build) => {
  const { jobs } = await suite.as(suite.users.ann, () => suite.builds.listJobs({ ref: refOf(build), search: "" }));
  return jobs.map(({ status, startedAt, finishedAt }) => [status, startedAt !== undefined, finishedAt !== undefined]);
};
const finishedOnce = (build: Build) =>
  eventually(() => {
    const kinds = suite.kinds(build.id);
    expect(kinds.at(-1)).toBe("build.finished");
    expect(kinds.filter((kind) => kind === "build.finished")).toHaveLength(1);
  });

async function claimed() {
  const build = await suite.submit(suite.users.ann);
  return { build, assignment: (await suite.claim())! };
}

it("a kill during the claim: the build never runs, or its runner learns of the kill", async () => {
  for (let round = 0; round < 10; round++) {
    const build = await suite.submit(suite.users.ann);
    const [assignment] = await Promise.all([suite.claim(), kill(build)]);
    if (!assignment) {
      expect(await get(build)).toMatchObject({ status: "killed", startedAt: undefined });
      continue;
    }
    expect(await suite.queue.renewLease({ buildId: assignment.buildId, epoch: assignment.epoch })).toEqual({
      kill: true,
      killedBy: "ann",
    });
    await suite.finish(assignment, 0, "killed");
    expect((await get(build)).status).toBe("killed");
    await finishedOnce(build);
  }
});

it("a kill while the environment is prepared: the other jobs never run", async () => {
  const { build, assignment } = await claimed();
  await kill(build);
  await suite.finish(assignment, 0, "killed", "Pulling\n");
  expect(await jobsOf(build)).toEqual([
    ["killed", true, true],
    ["killed", false, true],
    ["killed", false, true],
  ]);
  expect((await get(build)).output).toBe("Pulling\n");
  await finishedOnce(build);
});

it("a kill between two jobs: the next job never runs", async () => {
  const { build, assignment } = await claimed();
  await kill(build);
  // The runner does not know of the kill yet.
  expect(await suite.finish(assignment, 0, "passed")).toEqual({ final: true });
  expect((await get(build)).status).toBe("killed");
  expect(await suite.finish(assignment, 1, "passed", "late\n")).toEqual({ final: true });
  expect((await get(build)).output).toBe("Build killed by ann\n");
  expect(await jobsOf(build)).toEqual([
    ["killed", true, true],
    ["killed", false, true],
    ["killed", false, true],
  ]);
});

it("a kill during an artifact's upload: none of its content is stored", async () => {
  const { build, assignment } = await claimed();
  await suite.finish(assignment, 0, "passed");
  const header = {
    buildId: assignment.buildId,
    epoch: assignment.epoch,
    artifactId: assignment.jobs[1]!.artifacts[0]!.id,
  };
  let resume = () => {};
  const resumed = new Promise<void>((resolve) => {
    resume = resolve;
  });
  let markStarted: () => void;
  const started = new Promise<void>((resolve) => {
    markStarted = resolve;
  });
  async function* halting(): AsyncGenerator<PutArtifactRequest> {
    async function* content() {
      yield Buffer.from("first half");
      markStarted();
      await resumed;
      yield Buffer.from("second half");
    }
    yield* sendUpload(header, content());
  }
  const uploading = fault(suite.queue.putArtifact(halting()));
  await started;
  await kill(build);
  await suite.finish(assignment, 1, "killed");
  resume();
  expect(await uploading).toMatchObject({ code: "conflict" });
  const { artifact } = await suite.as(suite.users.ann, () =>
    suite.builds.getArtifact({ ref: refOf(build), name: "out.txt" }),
  );
  expect(artifact).toMatchObject({ size: undefined, md5: undefined, sha256: undefined });
  expect((await get(build)).status).toBe("killed");
});

it("a kill while the last job finishes: the first of the two decides, and the build finishes once", async () => {
  for (let round = 0; round < 10; round++) {
    const { build, assignment } = await claimed();
    await suite.finish(assignment, 0, "passed");
    await suite.finish(assignment, 1, "passed");
    const [{ final }] = await Promise.all([suite.finish(assignment, 2, "passed"), kill(build)]);
    expect(final).toBe(true);
    expect(["passed", "killed"]).toContain((await get(build)).status);
    await finishedOnce(build);
  }
});

it("a kill after the runner was lost: the build does not run again and keeps its output", async () => {
  const { build, assignment } = await claimed();
  await suite.finish(assignment, 0, "passed", "once\n");
  await suite.loseRunners();
  await eventually(async () => expect((await get(build)).status).toBe("queued"));
  await kill(build);
  const now = await get(build);
  expect(now).toMatchObject({ status: "killed", startedAt: undefined, finishedAt: expect.any(Date) });
  expect(now.output).toMatch(/^once\nRunner lost/);
  expect(await suite.claim()).toBeUndefined();
  // The lost runner is told that the build is final, and changes nothing.
  expect(await suite.finish(assignment, 1, "passed", "late\n", now.outputBytes)).toEqual({ final: true });
  expect(await get(build)).toEqual(now);
  await finishedOnce(build);
});

it("a kill at one replica reaches the runner through another", async () => {
  const other = await suite.replica();
  const { build, assignment } = await claimed();
  await kill(build, other.builds);
  expect(await suite.queue.renewLease({ buildId: assignment.buildId, epoch: assignment.epoch })).toEqual({
    kill: true,
    killedBy: "ann",
  });
  await suite.finish(assignment, 0, "killed");
  await finishedOnce(build);
});

it("the deletion of a user kills the user's running and queued builds", async () => {
  const dan = await suite.accounts.aUser("dan");
  const running = await suite.submit(dan);
  const queued = await suite.submit(dan);
  const assignment = (await suite.claim())!;
  expect(assignment.buildId).toBe(running.id);
  const { user: admin } = await suite.accounts.accounts.getUser({ by: { $case: "username", value: "admin" } });
  await suite.as(admin!, () => suite.accounts.accounts.deleteUser({ username: "dan" }));
  await eventually(async () =>
    expect(await suite.queue.renewLease({ buildId: assignment.buildId, epoch: assignment.epoch })).toEqual({
      kill: true,
      killedBy: undefined,
    }),
  );
  await suite.finish(assignment, 0, "killed");
  await finishedOnce(running);
  await finishedOnce(queued);
});
