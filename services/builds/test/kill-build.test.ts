import { eventually } from "@ci/testkit/eventually";
import { bootBuilds, fault } from "./_suite.js";

const suite = bootBuilds();
const refOf = (number: number) => ({ userId: suite.users.ann.id, number });
const kill = (number: number, user = suite.users.ann) =>
  suite.as(user, () => suite.builds.killBuild({ ref: refOf(number) }));
const get = async (number: number) =>
  (await suite.as(suite.users.ann, () => suite.builds.getBuild({ ref: refOf(number), brief: true }))).build!;

describe("succeeds", () => {
  it("a queued build is killed at once and never runs", async () => {
    const { number } = await suite.submit(suite.users.ann);
    await kill(number);
    const build = await get(number);
    expect(build).toMatchObject({ status: "killed", finishedAt: expect.any(Date) });
    expect(build.startedAt).toBeUndefined();
    expect(await suite.claim()).toBeUndefined();
  });

  it("the runner of a running build learns of the kill when it renews its lease", async () => {
    const { number } = await suite.submit(suite.users.ann);
    const assignment = (await suite.claim())!;
    const { buildId, epoch } = assignment;
    expect(await suite.queue.renewLease({ buildId, epoch })).toEqual({ kill: false });
    await kill(number);
    await kill(number);
    expect(await suite.queue.renewLease({ buildId, epoch })).toEqual({ kill: true, killedBy: "ann" });
    expect((await get(number)).status).toBe("running");
    await suite.finish(assignment, 0, "killed");
    expect((await get(number)).status).toBe("killed");
  });

  it("a finished build stays as it is", async () => {
    const { number } = await suite.submit(suite.users.ann);
    await suite.finish((await suite.claim())!, 0, "failed");
    await kill(number);
    expect((await get(number)).status).toBe("failed");
  });
});

describe("not_found", () => {
  it("outsiders get not_found, as does a build that does not exist", async () => {
    const { number } = await suite.submit(suite.users.ann);
    expect(await fault(kill(number, suite.users.eve))).toMatchObject({ code: "not_found" });
    expect(await fault(kill(999))).toMatchObject({ code: "not_found" });
    expect((await get(number)).status).toBe("queued");
    await kill(number);
  });
});

describe("events", () => {
  it("the kill of a queued build publishes build.finished", async () => {
    const { number, id } = await suite.submit(suite.users.ann);
    await kill(number);
    await eventually(() => expect(suite.kinds(id)).toEqual(["build.submitted", "build.finished"]));
  });
});
