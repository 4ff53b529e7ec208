import { eventually } from "@ci/testkit/eventually";
import { bootBuilds, fault } from "../_suite.js";

const on = bootBuilds();

const get = async (number: number) => {
  const ref = { userId: on.users.ann.id, number };
  return (await on.as(on.users.ann, () => on.builds.getBuild({ ref, brief: false }))).build!;
};

const leaseOf = ({ buildId, epoch }: { buildId: number; epoch: number }) => ({ buildId, epoch });

it("a returned build is requeued at once, and its former runner is rejected", async () => {
  const { number } = await on.submit(on.users.ann);
  const first = (await on.claim("leaving"))!;
  await on.finish(first, 0, "passed", "first try\n", 0);
  expect(await on.queue.returnBuild(leaseOf(first))).toEqual({});
  const build = await get(number);
  expect(build).toMatchObject({ status: "queued", tags: [{ name: "orphaned" }] });
  expect(build.output).toBe("first try\nRunner stopped, build queued again (1 of 2)\n");
  expect(await fault(on.finish(first, 1, "passed"))).toMatchObject({ code: "conflict" });

  const requeued = (await on.claim("second"))!;
  expect(requeued).toMatchObject({ buildId: first.buildId, epoch: 2 });
  await on.finish(requeued, 0, "failed");
  await eventually(() =>
    expect(on.kinds(build.id)).toEqual(["build.submitted", "build.started", "build.started", "build.finished"]),
  );
});

it("a returned build uses up an attempt, like a lost one", async () => {
  const { number } = await on.submit(on.users.ann);
  for (let attempt = 1; attempt <= 3; attempt++) await on.queue.returnBuild(leaseOf((await on.claim(`r${attempt}`))!));
  const { status, output } = await get(number);
  expect(status).toBe("failed");
  expect(output).toMatch(/\(2 of 2\)\nRunner stopped, no attempts left\n$/);
});

it("a returned build is killed instead of requeued if a kill was requested", async () => {
  const { number } = await on.submit(on.users.ann);
  const assignment = (await on.claim())!;
  await on.as(on.users.ann, () => on.builds.killBuild({ ref: { userId: on.users.ann.id, number } }));
  await on.queue.returnBuild(leaseOf(assignment));
  expect((await get(number)).status).toBe("killed");
});

describe("conflict", () => {
  it("rejects a runner that does not hold the build or has finished it", async () => {
    await on.submit(on.users.ann);
    const assignment = (await on.claim())!;
    expect(await fault(on.queue.returnBuild({ ...leaseOf(assignment), epoch: 9 }))).toMatchObject({ code: "conflict" });
    await on.finish(assignment, 0, "failed");
    expect(await fault(on.queue.returnBuild(leaseOf(assignment)))).toMatchObject({ code: "conflict" });
  });
});

describe("not_found", () => {
  it("a build that does not exist gets not_found", async () => {
    expect(await fault(on.queue.returnBuild({ buildId: 999_999, epoch: 1 }))).toMatchObject({ code: "not_found" });
  });
});
