import { Event } from "@ci/proto/events/v1/events";
import { aBuild, after, aJob, t0 } from "../../test/_build.js";
import { end, kinds, lease, leaseMs, running, statuses, textOf } from "../../test/_moves.js";
import type { BuildDoc } from "./build.js";
import { applyChange } from "./change.js";
import { append, claim, finishJob, isClaimedBy, kill } from "./moves.js";
import { shownTail } from "./side-by-side.js";
import { lose } from "./take-back.js";

describe("claim", () => {
  it("starts the build, its first job and a new epoch", () => {
    const doc = aBuild();
    const change = claim(doc, lease, leaseMs, t0);
    const now = applyChange(doc, change);
    expect(now).toMatchObject({
      status: "running",
      startedAt: t0,
      epoch: 1,
      lease: { runnerId: "r1", epoch: 1 },
      leaseHash: "h",
    });
    expect(statuses(now)).toEqual(["running", "queued", "queued"]);
    const event = Event.fromJSON(JSON.parse(change.events![0]!.json));
    expect(event).toMatchObject({ kind: "build.started", seq: 2, buildId: 100 });
    expect(event.body).toMatchObject({ $case: "build", value: { status: "running", startedAt: t0 } });
  });

  it.each(["running", "passed", "killed"] as const)("rejects a build that is %s", (status) => {
    expect(() => claim(aBuild({ status }), lease, leaseMs, t0)).toThrow("can no longer become running");
  });

  it("is known by its secret while the build runs", () => {
    expect(isClaimedBy(running(), lease)).toBe(true);
    expect(isClaimedBy(running(), { leaseHash: "another" })).toBe(false);
    expect(isClaimedBy({ ...running(), status: "queued" }, lease)).toBe(false);
  });
});

describe("finishJob", () => {
  it("starts the next job in the same write", () => {
    const { doc, change } = end(running(), "passed");
    expect(statuses(doc)).toEqual(["passed", "running", "queued"]);
    expect(kinds(change)).toEqual([]);
  });

  it("finishes the build with its last job", () => {
    const { doc, change } = end(end(end(running(), "passed").doc, "passed").doc, "passed");
    expect(doc).toMatchObject({ status: "passed", finishedAt: after(1_000), lease: undefined });
    expect(kinds(change)).toEqual(["build.finished"]);
  });

  it.each([
    ["failed", "failed", ["passed", "failed", "failed"]],
    ["killed", "killed", ["passed", "killed", "killed"]],
    ["timed_out", "timed_out", ["passed", "timed_out", "timed_out"]],
  ] as const)("the outcome %s ends the build, and jobs that never ran get the same status", (outcome, status, all) => {
    const { doc } = end(end(running(), "passed").doc, outcome);
    expect(doc.status).toBe(status);
    expect(statuses(doc)).toEqual(all);
    expect(doc.jobs[2]!.finishedAt).toEqual(after(1_000));
    expect(doc.jobs[2]!.startedAt).toBeUndefined();
  });

  it("continues after an allowed failure, and the build passes with failures", () => {
    const jobs = [aJob(1), aJob(2, { mayFail: true }), aJob(3)];
    const failed = end(end(running({ jobs }), "passed").doc, "failed");
    expect(statuses(failed.doc)).toEqual(["passed", "passed_with_failures", "running"]);
    expect(end(failed.doc, "passed").doc.status).toBe("passed_with_failures");
    for (const outcome of ["passed", "timed_out"] as const)
      expect(statuses(end(end(running({ jobs }), "passed").doc, outcome).doc)[1]).toBe(outcome);
  });

  it("a kill that was requested earlier ends the build as killed", () => {
    const killRequested = running({ killRequestedAt: t0 });
    expect(end(killRequested, "passed").doc.status).toBe("killed");
  });

  it("a repeated report writes nothing", () => {
    const before = running();
    const { doc } = end(before, "passed", "hello\n");
    const request = { epoch: 1, jobId: 1, outcome: "passed" as const, offset: 0, text: "hello\n", placed: [] };
    expect(finishJob(doc, request, t0)).toBeUndefined();
  });

  it.each([
    ["is not running yet", 2, "Job 2 is not running"],
    ["does not exist", 99, "Build 100 has no job 99"],
  ])("rejects a job that %s", (_what, jobId, message) => {
    const request = { epoch: 1, jobId, outcome: "passed" as const, offset: 0, text: "", placed: [] };
    expect(() => finishJob(running(), request, t0)).toThrow(expect.objectContaining({ code: "conflict", message }));
  });

  it("rejects an old epoch", () => {
    const request = { epoch: 0, jobId: 1, outcome: "passed" as const, offset: 0, text: "", placed: [] };
    expect(() => finishJob(running(), request, t0)).toThrow("no longer held");
  });
});

describe("the reason", () => {
  const reasons = (doc: BuildDoc) => [doc.reason, ...doc.jobs.map((job) => job.reason)];
  const prepared = () => end(running(), "passed").doc;

  it("of a failed job and its build comes from the runner, and that of jobs that never ran names the failure", () => {
    const { doc } = end(prepared(), "failed", "", { exitCode: 3, reason: "exit code 3" });
    expect(reasons(doc)).toEqual(["exit code 3", undefined, "exit code 3", "not run: the build had failed"]);
    expect(doc.jobs.map((job) => job.exitCode)).toEqual([undefined, 3, undefined]);
  });

  it("of an allowed failure ends the output of the build, once", () => {
    const [line, how] = ["Job failed: exit code 3\n", { exitCode: 3, reason: "exit code 3" }];
    const jobs = [aJob(1), aJob(2, { mayFail: true }), aJob(3)];
    const failed = (of: typeof jobs) => end(end(running({ jobs: of }), "passed").doc, "failed", line, how).doc;
    for (const doc of [end(failed(jobs), "passed", "on\n").doc, failed(jobs.slice(0, 2))])
      expect([doc.status, doc.reason]).toEqual(["passed_with_failures", "exit code 3"]);
    expect(textOf(end(failed(jobs), "passed", "on").doc)).toBe(`${line}on\nBuild passed with failures: exit code 3\n`);
    expect(textOf(failed(jobs.slice(0, 2)))).toBe(line);
  });

  it.each([
    ["timed_out", "timed out", "not run: the build had timed out"],
    ["killed", "killed", "not run: the build was killed"],
    ["failed", undefined, "not run: the build had failed"],
  ] as const)("of %s comes from the status if an older runner sends none", (outcome, reason, notRun) => {
    expect(reasons(end(prepared(), outcome).doc)).toEqual([reason, undefined, reason, notRun]);
  });

  it("names the user who killed the build, as does the last line of the output", () => {
    const { doc } = end({ ...prepared(), killRequestedAt: t0, killRequestedBy: "ann" }, "passed", "no newline");
    expect(reasons(doc).slice(0, 3)).toEqual(["killed by ann", undefined, "killed by ann"]);
    expect(textOf(doc)).toBe("no newline\nBuild killed by ann\n");
    expect(reasons(applyChange(aBuild(), kill(aBuild(), t0, "ann")!)).slice(0, 2)).toEqual([
      "killed by ann",
      "not run: the build was killed",
    ]);
  });

  it("of a build whose runner was lost is also that of the running job", () => {
    const doc = { ...prepared(), returns: 2 };
    const lost = applyChange(doc, lose(doc, doc.lease as never, { returns: 2, tagId: 1 }, t0)!);
    expect(reasons(lost)).toEqual(["runner lost", undefined, "runner lost", "not run: the build had failed"]);
  });

  it("is gone once the build is queued again", () => {
    const jobs = [aJob(1), aJob(2, { mayFail: true }), aJob(3)];
    const doc = end(end(running({ jobs }), "passed").doc, "failed", "", { exitCode: 3, reason: "exit code 3" }).doc;
    const queued = applyChange(doc, lose(doc, doc.lease as never, { returns: 2, tagId: 1 }, t0)!);
    expect(queued.jobs.map(({ exitCode, reason }) => [exitCode, reason])).toEqual(
      [[], [], []].map(() => [undefined, undefined]),
    );
  });

  it("is one line of bounded length", () => {
    const { doc } = end(prepared(), "failed", "", { reason: `a\n\0b${"c".repeat(10_000)}` });
    expect(doc.reason).toMatch(/^a bc{490,500}$/);
  });
});

describe("append", () => {
  /** A running build whose first two jobs have passed. The second job stands for a service. */
  function withService(): BuildDoc {
    const steps = [{ commands: [] }, { commands: [], service: "db" }, { commands: ["true"] }];
    const jobs = running().jobs.map((job, at) => ({
      ...job,
      status: at < 2 ? ("passed" as const) : ("running" as const),
    }));
    return { ...running(), steps, jobs };
  }
  const piece = (jobOffset: number, text: string) => ({ jobId: 2, offset: 0, jobOffset, text });

  it("adds the output of a service after that of the running job, while the build runs", () => {
    const printed = applyChange(withService(), append(withService(), 1, { jobId: 3, offset: 0, text: "job\n" }, t0)!);
    const once = applyChange(printed, append(printed, 1, piece(0, "a\n"), t0)!);
    const twice = applyChange(once, append(once, 1, piece(2, "b\n"), t0)!);
    expect(twice).toMatchObject({ outputBytes: 8, parts: [{ job: 1, start: 4, bytes: 4 }] });
    expect(twice.jobs[1]).toMatchObject({ outputBytes: 4 });
    expect(twice.tail.map(({ at }) => at)).toEqual([t0, t0, t0]);
    expect(append(twice, 1, piece(2, "b\n"), t0)).toBeUndefined();
    expect(() => append(twice, 1, piece(0, "b\n"), t0)).toThrow("Output continues at 4");
    expect(() => append({ ...twice, status: "failed" }, 1, piece(4, "c\n"), t0)).toThrow("is not running");
  });

  it("adds the output of a service that did not become ready behind that of create-driver", () => {
    const { steps } = withService();
    const said = applyChange(
      running({ steps }),
      append(running(), 1, { jobId: 1, offset: 0, text: "not ready\n" }, t0)!,
    );
    const printed = applyChange(said, append(said, 1, piece(0, "service\n"), t0)!);
    const { doc } = end(printed, "failed", "", { reason: "not ready" });
    expect(statuses(doc)).toEqual(["failed", "failed", "failed"]);
    expect(doc.jobs[1]).toMatchObject({ outputBytes: 8, reason: "not run: the build had failed" });
    expect(textOf(doc)).toBe("not ready\nservice\nBuild failed: not ready\n");
  });

  it("ends with a kill that was requested while the output of a service arrived", () => {
    const piece = { jobId: 2, offset: 0, jobOffset: 0, text: "service" };
    const printed = applyChange(withService(), append(withService(), 1, piece, t0)!);
    const report = { epoch: 1, jobId: 3, outcome: "passed" as const, offset: 0, text: "", placed: [] };
    const jobs = printed.jobs.map((job) => ({ ...job, startedAt: t0 }));
    const killed = { ...printed, jobs, killRequestedAt: t0, killRequestedBy: "ann" };
    const doc = applyChange(killed, finishJob(killed, report, t0)!);
    expect(doc.status).toBe("killed");
    expect(textOf(doc)).toBe("service\nBuild killed by ann\n");
  });

  it.each([
    ["behind the output of a service", "service\n", "Job failed: exit code 3\nservice\nBuild failed: exit code 3\n"],
    ["once if no service printed anything", "", "Job failed: exit code 3\n"],
  ])("says why the build failed %s", (_where, printed, expected) => {
    const doc = withService();
    const started = { ...doc, jobs: doc.jobs.map((job) => ({ ...job, startedAt: t0 })) };
    const line = "Job failed: exit code 3\n";
    const said = applyChange(started, append(started, 1, { jobId: 3, offset: 0, text: line }, t0)!);
    const service = append(said, 1, piece(0, printed), t0);
    const { doc: ended } = end(service ? applyChange(said, service) : said, "failed", "", { reason: "exit code 3" });
    expect([ended.status, textOf(ended)]).toEqual(["failed", expected]);
  });

  it("keeps the output of a service behind that of jobs that run side by side", () => {
    const doc = withService();
    const jobs = doc.jobs.map((job, at) => (at === 2 ? { ...job, beside: true } : job));
    const parallel = { ...doc, jobs, parts: [{ job: 2, jobStart: 0, bytes: 0, start: 0 }] };
    const printed = applyChange(parallel, append(parallel, 1, piece(0, "service\n"), t0)!);
    expect(printed.outputBytes).toBe(0);
    const own = { jobId: 3, offset: 0, jobOffset: 0, text: "job\n" };
    const report = { ...own, epoch: 1, outcome: "passed" as const, placed: [], followsOrder: true };
    const ended = applyChange(printed, finishJob(printed, report, new Date())!);
    expect(ended).toMatchObject({ status: "passed", outputBytes: 12 });
    expect(shownTail(ended).map(({ text }) => text)).toEqual(["job\n", "service\n"]);
  });

  it("extends the output of the build and of the job", () => {
    const doc = applyChange(running(), append(running(), 1, { jobId: 1, offset: 0, text: "grüße\n" }, t0)!);
    expect(doc.outputBytes).toBe(8);
    expect(doc.jobs[0]!.outputBytes).toBe(8);
    expect(doc.tail).toEqual([{ job: 0, start: 0, jobStart: 0, bytes: 8, text: "grüße\n", at: t0 }]);
  });

  it("a repeated piece is stored once", () => {
    const doc = applyChange(running(), append(running(), 1, { jobId: 1, offset: 0, text: "a\n" }, t0)!);
    expect(append(doc, 1, { jobId: 1, offset: 0, text: "a\n" }, t0)).toBeUndefined();
  });

  it.each([
    ["an old epoch", 0, 1, 0, "Build 100 is no longer held under epoch 0"],
    ["a job that is not running", 1, 2, 0, "Job 2 is not running"],
    ["a job that does not exist", 1, 99, 0, "Job 99 is not running"],
    ["a gap", 1, 1, 5, "Output continues at 0, not 5"],
  ])("rejects %s", (_what, epoch, jobId, offset, message) => {
    const refusal = expect.objectContaining({ code: "conflict", message });
    expect(() => append(running(), epoch, { jobId, offset, text: "text" }, t0)).toThrow(refusal);
  });
});

describe("kill", () => {
  it("finishes a queued build, which never starts", () => {
    const doc = aBuild();
    const change = kill(doc, t0);
    expect(applyChange(doc, change!)).toMatchObject({ status: "killed", finishedAt: t0 });
    expect(applyChange(doc, change!).startedAt).toBeUndefined();
    expect(kinds(change)).toEqual(["build.finished"]);
  });

  it("says so in the last line of a build that was queued again", () => {
    const lost = running();
    const doc = applyChange(lost, lose(lost, lost.lease!, { returns: 2, tagId: 1 }, t0)!);
    const change = kill(doc, t0, "ann")!;
    const text = "Runner lost, build queued again (1 of 2)\nBuild killed by ann\n";
    expect(textOf(applyChange(doc, change))).toBe(text);
    expect(applyChange(doc, change)).toMatchObject({ status: "killed", outputBytes: text.length });
  });

  it("only records the request in a running build, once", () => {
    const doc = running();
    expect(kill(doc, t0)).toEqual({ set: { killRequestedAt: t0 } });
    expect(kill({ ...doc, killRequestedAt: t0 }, t0)).toBeUndefined();
  });

  it("leaves a final build unchanged", () => {
    expect(kill(aBuild({ status: "passed" }), t0)).toBeUndefined();
  });

  it.each([
    ["empties a build that nobody approved", { awaitsApproval: true as const }, 0],
    ["keeps the contents of an approved build", {}, 3],
    [
      "keeps those of a build that a replica of an earlier version gave to a runner",
      { awaitsApproval: true as const, epoch: 1 },
      3,
    ],
  ])("%s", (_, fields, jobs) => {
    const before = aBuild(fields);
    const after = applyChange(before, kill(before, t0)!);
    expect(after.jobs).toHaveLength(jobs);
    expect(after.manifest).toBe(jobs === 0 ? "" : before.manifest);
  });
});
