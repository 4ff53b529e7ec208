import type { Assignment } from "@ci/proto/builds/v1/queue";
import { eventually } from "@ci/testkit/eventually";
import { bootBuilds, fault } from "../_suite.js";

const suite = bootBuilds();
const failed = { outcome: "failed", exitCode: 3, reason: "exit code 3" } as const;

const record = ({ buildId, epoch, jobs }: Assignment, index: number) =>
  suite.queue.recordVerdict({ buildId, epoch, jobId: jobs[index]!.id, ...failed });

async function failing() {
  const build = await suite.submit(suite.users.ann);
  const assignment = (await suite.claim())!;
  await suite.finish(assignment, 0, "passed");
  return { build, assignment };
}

const get = async (number: number) => {
  const ref = { userId: suite.users.ann.id, number };
  return (await suite.as(suite.users.ann, () => suite.builds.getBuild({ ref, brief: false }))).build!;
};

const endedOnce = (id: number) =>
  eventually(() => expect(suite.kinds(id)).toEqual(["build.submitted", "build.started", "build.finished"]));

it("a build runs until its runner reports the end, as without a verdict", async () => {
  const { build, assignment } = await failing();
  for (const _time of [1, 2]) expect(await record(assignment, 1)).toEqual({});
  expect(await get(build.number)).toMatchObject({ status: "running", finishedAt: undefined });
  expect(await suite.finish(assignment, 1, "failed", "It stayed.\n")).toEqual({ final: true });
  expect(await get(build.number)).toMatchObject({ status: "failed", output: "It stayed.\n" });
  await endedOnce(build.id);
});

it("a build whose runner is lost ends as recorded and does not run again", async () => {
  const { build, assignment } = await failing();
  await record(assignment, 1);
  await suite.loseRunners();
  await eventually(async () => expect((await get(build.number)).status).toBe("failed"));
  expect(await get(build.number)).toMatchObject({
    ...{ reason: "exit code 3", tags: [], finishedAt: expect.any(Date) },
    output: "Runner lost while the failed machine stayed\nJob failed: exit code 3\n",
  });
  const { buildId, epoch } = assignment;
  expect(await fault(suite.queue.renewLease({ buildId, epoch }))).toMatchObject({ code: "conflict" });
  expect(await suite.finish(assignment, 1, "failed", "late\n")).toEqual({ final: true });
  expect(await suite.claim()).toBeUndefined();
  await endedOnce(build.id);
});

it("a build that its runner gives back ends as recorded and does not run again", async () => {
  const { build, assignment } = await failing();
  await record(assignment, 1);
  const { buildId, epoch } = assignment;
  await suite.queue.returnBuild({ buildId, epoch });
  expect(await get(build.number)).toMatchObject({ status: "failed", reason: "exit code 3" });
  expect(await suite.claim()).toBeUndefined();
  await endedOnce(build.id);
});

it("a killed build ends as killed", async () => {
  const { build, assignment } = await failing();
  await record(assignment, 1);
  const ref = { userId: suite.users.ann.id, number: build.number };
  await suite.as(suite.users.ann, () => suite.builds.killBuild({ ref }));
  await suite.loseRunners();
  await eventually(async () => expect((await get(build.number)).status).toBe("killed"));
});

describe("conflict", () => {
  it("rejects a runner that has lost the build or finished it, and a job that does not end it", async () => {
    const { build, assignment } = await failing();
    const rejects = async (held: Assignment, index: number) =>
      expect(await fault(record(held, index))).toMatchObject({ code: "conflict" });
    await rejects({ ...assignment, epoch: 9 }, 1);
    await rejects(assignment, 2);
    await suite.finish(assignment, 1, "failed");
    await rejects(assignment, 1);
    expect((await get(build.number)).status).toBe("failed");
  });
});

describe("not_found", () => {
  it("a build that does not exist gets not_found", async () => {
    const { assignment } = await failing();
    expect(await fault(record({ ...assignment, buildId: 999_999 }, 1))).toMatchObject({ code: "not_found" });
  });
});
