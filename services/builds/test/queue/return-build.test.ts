import { eventually } from "@ci/testkit/eventually";
import { bootBuilds, fault } from "../_suite.js";

const on = bootBuilds();

const get = async (number: number) => {
  const ref = { userId: on.users.ann.id, number };
  return (await on.as(on.users.ann, () => on.builds.getBuild({ ref, brief: false }))).build!;
};

const held = ({ buildId, epoch }: { buildId: number; epoch: number }) => ({ buildId, epoch });

it("requeues a returned build at once, and refuses that runner from then on", async () => {
  const { number } = await on.submit(on.users.ann);
  const first = (await on.claim("leaving"))!;
  await on.finish(first, 0, "passed", "first try\n", 0);
  expect(await on.queue.returnBuild(held(first))).toEqual({});
  const build = await get(number);
  expect(build).toMatchObject({ status: "queued", tags: [{ name: "orphaned" }] });
  expect(build.output).toBe("first try\nRunner stopped, build queued again (1 of 2)\n");
  expect(await fault(on.finish(first, 1, "passed"))).toMatchObject({ code: "conflict" });

  const again = (await on.claim("second"))!;
  expect(again).toMatchObject({ buildId: first.buildId, epoch: 2 });
  await on.finish(again, 0, "failed");
  await eventually(() =>
    expect(on.kinds(build.id)).toEqual(["build.submitted", "build.started", "build.started", "build.finished"]),
  );
});

it("counts a returned build like a lost one", async () => {
  const { number } = await on.submit(on.users.ann);
  for (let time = 1; time <= 3; time++) await on.queue.returnBuild(held((await on.claim(`r${time}`))!));
  const { status, output } = await get(number);
  expect(status).toBe("failed");
  expect(output).toMatch(/\(2 of 2\)\nRunner stopped, no attempts left\n$/);
});

it("kills a returned build instead of requeueing it if that was requested", async () => {
  const { number } = await on.submit(on.users.ann);
  const one = (await on.claim())!;
  await on.as(on.users.ann, () => on.builds.killBuild({ ref: { userId: on.users.ann.id, number } }));
  await on.queue.returnBuild(held(one));
  expect((await get(number)).status).toBe("killed");
});

describe("conflict", () => {
  it("refuses a runner that does not hold the build, or has finished it", async () => {
    await on.submit(on.users.ann);
    const one = (await on.claim())!;
    expect(await fault(on.queue.returnBuild({ ...held(one), epoch: 9 }))).toMatchObject({ code: "conflict" });
    await on.finish(one, 0, "failed");
    expect(await fault(on.queue.returnBuild(held(one)))).toMatchObject({ code: "conflict" });
  });
});

describe("not_found", () => {
  it("refuses a build that does not exist", async () => {
    expect(await fault(on.queue.returnBuild({ buildId: 999_999, epoch: 1 }))).toMatchObject({ code: "not_found" });
  });
});
