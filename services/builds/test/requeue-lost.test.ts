import { eventually } from "@ci/testkit/eventually";
import { bootBuilds, fault, leaseMs } from "./_suite.js";

const on = bootBuilds();

const get = async (number: number) => {
  const ref = { userId: on.users.ann.id, number };
  return (await on.as(on.users.ann, () => on.builds.getBuild({ ref, brief: false }))).build!;
};

it("a build whose runner went silent is requeued, and that runner is rejected", async () => {
  const { number } = await on.submit(on.users.ann);
  const lost = (await on.claim("silent"))!;
  await on.finish(lost, 0, "passed", "first try\n", 0);
  await on.loseRunners();
  await eventually(async () => expect((await get(number)).status).toBe("queued"));
  const build = await get(number);
  expect(build.tags.map((tag) => tag.name)).toEqual(["orphaned"]);
  expect(build.output).toBe("first try\nRunner lost, build queued again (1 of 2)\n");
  expect(await fault(on.finish(lost, 1, "passed"))).toMatchObject({ code: "conflict" });

  const requeued = (await on.claim("second"))!;
  expect(requeued).toMatchObject({ buildId: lost.buildId, epoch: 2, outputBytes: build.outputBytes });
  expect(await fault(on.queue.renewLease({ buildId: lost.buildId, epoch: lost.epoch }))).toMatchObject({
    code: "conflict",
  });
  await on.finish(requeued, 0, "failed");
  await eventually(() =>
    expect(on.kinds(build.id)).toEqual(["build.submitted", "build.started", "build.started", "build.finished"]),
  );
});

it("a build stays with its runner while its lease is renewed", async () => {
  const { number } = await on.submit(on.users.ann);
  const assignment = (await on.claim())!;
  await on.elapse((2 / 3) * leaseMs);
  expect(await on.queue.renewLease({ buildId: assignment.buildId, epoch: assignment.epoch })).toEqual({ kill: false });
  await on.elapse((2 / 3) * leaseMs);
  expect((await on.queue.listLeases({ runnerId: "r1" })).leases).toEqual([
    { buildId: assignment.buildId, epoch: assignment.epoch },
  ]);
  expect((await get(number)).status).toBe("running");
  await on.finish(assignment, 0, "failed");
});

it("a build fails when its runners are lost once too often", async () => {
  const { number, id } = await on.submit(on.users.ann);
  for (let loss = 1; loss <= 3; loss++) {
    await eventually(async () => expect(await on.claim(`r${loss}`)).toBeDefined());
    await on.loseRunners();
    const expected = loss < 3 ? "queued" : "failed";
    await eventually(async () => expect((await get(number)).status).toBe(expected));
  }
  expect((await get(number)).output).toMatch(/\(2 of 2\)\nRunner lost, no attempts left\n$/);
  await eventually(() => expect(on.kinds(id).filter((kind) => kind === "build.finished")).toHaveLength(1));
});

it("a lost build is killed instead of requeued if a kill was requested", async () => {
  const { number } = await on.submit(on.users.ann);
  await on.claim("silent");
  await on.as(on.users.ann, () => on.builds.killBuild({ ref: { userId: on.users.ann.id, number } }));
  await on.loseRunners();
  await eventually(async () => expect((await get(number)).status).toBe("killed"));
});
