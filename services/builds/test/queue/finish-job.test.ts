import { eventually } from "@ci/testkit/eventually";
import type { BuildDoc } from "../../src/domain/build.js";
import { bootBuilds, fault } from "../_suite.js";

const suite = bootBuilds();

async function claimed() {
  const build = await suite.submit(suite.users.ann);
  const ref = { userId: build.userId, number: build.number };
  const get = async () => (await suite.as(suite.users.ann, () => suite.builds.getBuild({ ref, brief: false }))).build!;
  const job = async (name: string) => (await suite.as(suite.users.ann, () => suite.builds.getJob({ ref, name }))).job!;
  return { build, ref, get, job, assignment: (await suite.claim())! };
}

describe("succeeds", () => {
  it("runs a build from its first job to its last", async () => {
    const { assignment, get, job } = await claimed();
    expect(await suite.finish(assignment, 0, "passed", "ready\n", 0)).toEqual({ final: false });
    expect((await job("make.1")).status).toBe("running");
    expect(await suite.finish(assignment, 1, "passed", "made\n", 6)).toEqual({ final: false });
    expect(await suite.finish(assignment, 2, "failed", "oh\n", 11)).toEqual({ final: true });
    expect(await get()).toMatchObject({ status: "passed_with_failures", output: "ready\nmade\noh\n", outputBytes: 14 });
    expect(await job("make.1")).toMatchObject({ status: "passed", output: "made\n" });
    expect(await job("unit")).toMatchObject({ status: "passed_with_failures", output: "oh\n" });
  });

  it("takes the end of the first job together with that of the second", async () => {
    const { assignment, get, job } = await claimed();
    expect(assignment.takesPrepared).toBe(true);
    const { buildId, epoch, leaseSecret, jobs } = assignment;
    const prepared = { jobId: jobs[0]!.id, offset: 0, text: "ready\n", placedObjectIds: [], ageMs: 1 };
    const report = { jobId: jobs[1]!.id, outcome: "passed" as const, offset: 6, text: "made\n", placedObjectIds: [] };
    const both = { buildId, epoch, leaseSecret, ...report, prepared, followsOrder: true };
    for (let n = 0; n < 2; n++) expect(await suite.queue.finishJob(both)).toEqual({ final: false });
    expect(await get()).toMatchObject({ status: "running", output: "ready\nmade\n" });
    expect(await job("make.1")).toMatchObject({ status: "passed", output: "made\n" });
    await suite.finish(assignment, 2, "failed", "", 11);
  });

  it("moves older output out of the build's document, even if jobs send all of theirs with their end", async () => {
    const { assignment, build } = await claimed();
    const text = "x".repeat(200 * 1024);
    for (const job of [0, 1]) await suite.finish(assignment, job, "passed", text, job * text.length);
    const doc = (await suite.database().collection<BuildDoc>("builds").findOne({ _id: build.id }))!;
    expect(doc.tail.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(text.length);
    expect(doc.outputBytes).toBe(2 * text.length);
    await suite.finish(assignment, 2, "failed", "", 2 * text.length);
  });

  it("a repeated request gets the same answer and changes nothing", async () => {
    const { assignment, get } = await claimed();
    await suite.finish(assignment, 0, "failed", "no\n", 0);
    expect(await suite.finish(assignment, 0, "failed", "no\n", 0)).toEqual({ final: true });
    expect(await get()).toMatchObject({ status: "failed", output: "no\n" });
  });
});

describe("invalid", () => {
  it("rejects more output than a message may have, also of a job that is reported with the next", async () => {
    const { assignment } = await claimed();
    const long = "x".repeat(256 * 1024 + 1);
    expect(await fault(suite.finish(assignment, 0, "passed", long, 0))).toMatchObject({ code: "invalid" });
    const { buildId, epoch, leaseSecret, jobs } = assignment;
    const prepared = { jobId: jobs[0]!.id, offset: 0, text: long, placedObjectIds: [], ageMs: 1 };
    const report = { jobId: jobs[1]!.id, outcome: "passed" as const, offset: 0, text: "", placedObjectIds: [] };
    const both = suite.queue.finishJob({ buildId, epoch, leaseSecret, ...report, prepared, followsOrder: true });
    expect(await fault(both)).toMatchObject({ code: "invalid" });
    await suite.finish(assignment, 0, "failed");
  });
});

describe("conflict", () => {
  it("rejects every write with an old epoch", async () => {
    const { assignment, get } = await claimed();
    const old = { ...assignment, epoch: assignment.epoch - 1 };
    const lease = { buildId: assignment.buildId, epoch: old.epoch };
    const calls = [
      suite.finish(old, 0, "passed"),
      suite.queue.renewLease(lease),
      suite.queue.appendOutput({ ...lease, jobId: assignment.jobs[0]!.id, offset: 0, text: "x" }),
    ];
    for (const call of calls) expect(await fault(call)).toMatchObject({ code: "conflict" });
    expect(await get()).toMatchObject({ status: "running", outputBytes: 0 });
    await suite.finish(assignment, 0, "failed");
  });
});

describe("events", () => {
  it("publishes build.finished exactly once, after the other events", async () => {
    const { assignment, build } = await claimed();
    await Promise.all([
      suite.finish(assignment, 0, "failed"),
      suite.finish(assignment, 0, "failed"),
      suite.finish(assignment, 0, "failed"),
    ]);
    await eventually(() =>
      expect(suite.kinds(build.id)).toEqual(["build.submitted", "build.started", "build.finished"]),
    );
    const seqs = suite.events.filter((event) => event.buildId === build.id).map((event) => event.seq);
    expect(seqs).toEqual([1, 2, 3]);
  });
});
