import { eventually } from "@ci/testkit/eventually";
import { bootBuilds, fault } from "./_suite.js";

const on = bootBuilds();
const refOf = (number: number) => ({ userId: on.users.ann.id, number });
const kill = (number: number, user = on.users.ann) => on.as(user, () => on.builds.killBuild({ ref: refOf(number) }));
const get = async (number: number) =>
  (await on.as(on.users.ann, () => on.builds.getBuild({ ref: refOf(number), brief: true }))).build!;

describe("answers", () => {
  it("kills a queued build at once; it never runs", async () => {
    const { number } = await on.submit(on.users.ann);
    await kill(number);
    const build = await get(number);
    expect(build).toMatchObject({ status: "killed", finishedAt: expect.any(Date) });
    expect(build.startedAt).toBeUndefined();
    expect(await on.claim()).toBeUndefined();
  });

  it("tells the runner of a running one", async () => {
    const { number } = await on.submit(on.users.ann);
    const got = (await on.claim())!;
    const { buildId, epoch } = got;
    expect(await on.queue.renewLease({ buildId, epoch })).toEqual({ kill: false });
    await kill(number);
    await kill(number);
    expect(await on.queue.renewLease({ buildId, epoch })).toEqual({ kill: true, killedBy: "ann" });
    expect((await get(number)).status).toBe("running");
    await on.finish(got, 0, "killed");
    expect((await get(number)).status).toBe("killed");
  });

  it("changes nothing about a final one", async () => {
    const { number } = await on.submit(on.users.ann);
    await on.finish((await on.claim())!, 0, "failed");
    await kill(number);
    expect((await get(number)).status).toBe("failed");
  });
});

describe("not_found", () => {
  it("for a stranger, and for what is not there", async () => {
    const { number } = await on.submit(on.users.ann);
    expect(await fault(kill(number, on.users.eve))).toMatchObject({ code: "not_found" });
    expect(await fault(kill(999))).toMatchObject({ code: "not_found" });
    expect((await get(number)).status).toBe("queued");
    await kill(number);
  });
});

describe("events", () => {
  it("reports the end of a queued build", async () => {
    const { number, id } = await on.submit(on.users.ann);
    await kill(number);
    await eventually(() => expect(on.kinds(id)).toEqual(["build.submitted", "build.finished"]));
  });
});
