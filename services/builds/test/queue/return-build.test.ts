import { eventually } from "@ci/testkit/eventually";
import { bootBuilds, fault } from "../_suite.js";

const suite = bootBuilds();

const get = async (number: number) => {
  const ref = { userId: suite.users.ann.id, number };
  return (await suite.as(suite.users.ann, () => suite.builds.getBuild({ ref, brief: false }))).build!;
};

const leaseOf = ({ buildId, epoch }: { buildId: number; epoch: number }) => ({ buildId, epoch });

it("a returned build is requeued at once, and its former runner is rejected", async () => {
  const { number } = await suite.submit(suite.users.ann);
  const first = (await suite.claim("leaving"))!;
  await suite.finish(first, 0, "passed", "first try\n", 0);
  expect(await suite.queue.returnBuild(leaseOf(first))).toEqual({});
  const build = await get(number);
  expect(build).toMatchObject({ status: "queued", tags: [{ name: "orphaned" }] });
  expect(build.output).toBe("first try\nRunner stopped, build queued again (1 of 2)\n");
  expect(await fault(suite.finish(first, 1, "passed"))).toMatchObject({ code: "conflict" });

  const requeued = (await suite.claim("second"))!;
  expect(requeued).toMatchObject({ buildId: first.buildId, epoch: 2 });
  await suite.finish(requeued, 0, "failed");
  await eventually(() =>
    expect(suite.kinds(build.id)).toEqual(["build.submitted", "build.started", "build.started", "build.finished"]),
  );
});

it("a returned build uses up an attempt, like a lost one", async () => {
  const { number } = await suite.submit(suite.users.ann);
  for (let attempt = 1; attempt <= 3; attempt++)
    await suite.queue.returnBuild(leaseOf((await suite.claim(`r${attempt}`))!));
  const { status, output } = await get(number);
  expect(status).toBe("failed");
  expect(output).toMatch(/\(2 of 2\)\nRunner stopped, no attempts left\n$/);
});

it("a returned build is killed instead of requeued if a kill was requested", async () => {
  const { number } = await suite.submit(suite.users.ann);
  const assignment = (await suite.claim())!;
  await suite.as(suite.users.ann, () => suite.builds.killBuild({ ref: { userId: suite.users.ann.id, number } }));
  await suite.queue.returnBuild(leaseOf(assignment));
  expect((await get(number)).status).toBe("killed");
});

describe("conflict", () => {
  it("rejects a runner that does not hold the build or has finished it", async () => {
    await suite.submit(suite.users.ann);
    const assignment = (await suite.claim())!;
    expect(await fault(suite.queue.returnBuild({ ...leaseOf(assignment), epoch: 9 }))).toMatchObject({
      code: "conflict",
    });
    await suite.finish(assignment, 0, "failed");
    expect(await fault(suite.queue.returnBuild(leaseOf(assignment)))).toMatchObject({ code: "conflict" });
  });
});

describe("not_found", () => {
  it("a build that does not exist gets not_found", async () => {
    expect(await fault(suite.queue.returnBuild({ buildId: 999_999, epoch: 1 }))).toMatchObject({ code: "not_found" });
  });
});
