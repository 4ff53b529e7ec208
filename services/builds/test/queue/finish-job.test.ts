import { eventually } from "@ci/testkit/eventually";
import { bootBuilds, fault } from "../_suite.js";

const on = bootBuilds();

async function claimed() {
  const build = await on.submit(on.users.ann);
  const ref = { userId: build.userId, number: build.number };
  const get = async () => (await on.as(on.users.ann, () => on.builds.getBuild({ ref, brief: false }))).build!;
  const job = async (name: string) => (await on.as(on.users.ann, () => on.builds.getJob({ ref, name }))).job!;
  return { build, ref, get, job, got: (await on.claim())! };
}

describe("answers", () => {
  it("runs a build from its first job to its last", async () => {
    const { got, get, job } = await claimed();
    expect(await on.finish(got, 0, "passed", "ready\n", 0)).toEqual({ final: false });
    expect((await job("make.1")).status).toBe("running");
    expect(await on.finish(got, 1, "passed", "made\n", 6)).toEqual({ final: false });
    expect(await on.finish(got, 2, "failed", "oh\n", 11)).toEqual({ final: true });
    expect(await get()).toMatchObject({ status: "passed_with_failures", output: "ready\nmade\noh\n", outputBytes: 14 });
    expect(await job("make.1")).toMatchObject({ status: "passed", output: "made\n" });
    expect(await job("unit")).toMatchObject({ status: "passed_with_failures", output: "oh\n" });
  });

  it("does the same when the request is repeated", async () => {
    const { got, get } = await claimed();
    await on.finish(got, 0, "failed", "no\n", 0);
    expect(await on.finish(got, 0, "failed", "no\n", 0)).toEqual({ final: true });
    expect(await get()).toMatchObject({ status: "failed", output: "no\n" });
  });
});

describe("conflict", () => {
  it("refuses every write under an old epoch, and changes nothing", async () => {
    const { got, get } = await claimed();
    const old = { ...got, epoch: got.epoch - 1 };
    const at = { buildId: got.buildId, epoch: old.epoch };
    const calls = [
      on.finish(old, 0, "passed"),
      on.queue.renewLease(at),
      on.queue.appendOutput({ ...at, jobId: got.jobs[0]!.id, offset: 0, text: "x" }),
    ];
    for (const call of calls) expect(await fault(call)).toMatchObject({ code: "conflict" });
    expect(await get()).toMatchObject({ status: "running", outputBytes: 0 });
    await on.finish(got, 0, "failed");
  });
});

describe("events", () => {
  it("reports the end exactly once, in order", async () => {
    const { got, build } = await claimed();
    await Promise.all([on.finish(got, 0, "failed"), on.finish(got, 0, "failed"), on.finish(got, 0, "failed")]);
    await eventually(() => expect(on.kinds(build.id)).toEqual(["build.submitted", "build.started", "build.finished"]));
    const seqs = on.events.filter((event) => event.buildId === build.id).map((event) => event.seq);
    expect(seqs).toEqual([1, 2, 3]);
  });
});
