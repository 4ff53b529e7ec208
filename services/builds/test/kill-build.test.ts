import { eventually } from "@ci/testkit/eventually";
import { bootBuilds, fault } from "./_suite.js";

const on = bootBuilds();
const refOf = (number: number) => ({ userId: on.users.ann.id, number });
const kill = (number: number, user = on.users.ann) => on.as(user, () => on.builds.killBuild({ ref: refOf(number) }));
const get = async (number: number) =>
  (await on.as(on.users.ann, () => on.builds.getBuild({ ref: refOf(number), brief: true }))).build!;

describe("succeeds", () => {
  it("a queued build is killed at once and never runs", async () => {
    const { number } = await on.submit(on.users.ann);
    await kill(number);
    const build = await get(number);
    expect(build).toMatchObject({ status: "killed", finishedAt: expect.any(Date) });
    expect(build.startedAt).toBeUndefined();
    expect(await on.claim()).toBeUndefined();
  });

  it("the runner of a running build learns of the kill when it renews its lease", async () => {
    const { number } = await on.submit(on.users.ann);
    const assignment = (await on.claim())!;
    const { buildId, epoch } = assignment;
    expect(await on.queue.renewLease({ buildId, epoch })).toEqual({ kill: false });
    await kill(number);
    await kill(number);
    expect(await on.queue.renewLease({ buildId, epoch })).toEqual({ kill: true, killedBy: "ann" });
    expect((await get(number)).status).toBe("running");
    await on.finish(assignment, 0, "killed");
    expect((await get(number)).status).toBe("killed");
  });

  it("a finished build stays as it is", async () => {
    const { number } = await on.submit(on.users.ann);
    await on.finish((await on.claim())!, 0, "failed");
    await kill(number);
    expect((await get(number)).status).toBe("failed");
  });
});

describe("not_found", () => {
  it("outsiders get not_found, as does a build that does not exist", async () => {
    const { number } = await on.submit(on.users.ann);
    expect(await fault(kill(number, on.users.eve))).toMatchObject({ code: "not_found" });
    expect(await fault(kill(999))).toMatchObject({ code: "not_found" });
    expect((await get(number)).status).toBe("queued");
    await kill(number);
  });
});

describe("events", () => {
  it("the kill of a queued build publishes build.finished", async () => {
    const { number, id } = await on.submit(on.users.ann);
    await kill(number);
    await eventually(() => expect(on.kinds(id)).toEqual(["build.submitted", "build.finished"]));
  });
});
