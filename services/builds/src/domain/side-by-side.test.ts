import type { FinishJobRequest_Outcome } from "@ci/proto/builds/v1/queue";
import { aBuild, aJob, t0 } from "../../test/_build.js";
import type { BuildDoc, Step } from "./build.js";
import { applyChange, type Change } from "./change.js";
import { append, claim, finishJob, kill } from "./moves.js";
import { toShortBuild } from "./shown-build.js";
import { storedRange } from "./side-by-side.js";
import { giveBack } from "./take-back.js";

const beside: Step = { commands: [], parallel: true };
const plain: Step = { commands: [] };
const onFailure: Step = { commands: [], skipAfterSuccess: true, runAfterFailure: true };

/** A running build whose first job has prepared it. Each step is a job; parallel ones belong to one stage. */
function prepared(...steps: readonly Step[]) {
  const jobs = steps.map((step, index) => aJob(index + 2, step.parallel ? { stage: "beside" } : {}));
  let doc = aBuild({ jobs: [aJob(1), ...jobs], steps: [plain, ...steps] });
  const apply = (change: Change | undefined) => {
    if (change) doc = { ...applyChange(doc, change), rev: doc.rev + 1 };
  };
  apply(claim(doc, { runnerId: "r", leaseHash: "h" }, 1_000, t0));
  const build = {
    doc: () => doc,
    /** Prints as the runner does: by the offset in the job's or in the build's output. */
    print: (job: number, text: string) =>
      apply(append(doc, doc.epoch, { jobId: job + 1, ...offsets(doc, job), text }, t0)),
    end: (job: number, outcome: FinishJobRequest_Outcome, text = "", followsOrder = true) => {
      const report = { epoch: doc.epoch, jobId: job + 1, outcome, text, placed: [], followsOrder };
      apply(
        finishJob(
          doc,
          { ...report, ...offsets(doc, job), reason: outcome === "failed" ? "exit code 3" : undefined },
          t0,
        ),
      );
    },
    kill: () => apply(kill(doc, t0, "ann")),
    lose: (returns = 2) => apply(giveBack(doc, doc.epoch, { returns, tagId: 1 }, t0)),
    claim: () => apply(claim(doc, { runnerId: "r", leaseHash: "h" }, 1_000, t0)),
    statuses: () => doc.jobs.map(({ status }) => status),
    text: () => toShortBuild(doc).output ?? "",
  };
  build.end(0, "passed");
  return build;
}

const offsets = (doc: BuildDoc, job: number) =>
  doc.jobs[job]!.beside ? { offset: 0, jobOffset: doc.jobs[job]!.outputBytes } : { offset: doc.outputBytes };

/** Reads the build's output piece by piece, as the store does. */
function readText(doc: BuildDoc): string {
  let text = "";
  for (let at = 0; at < doc.outputBytes; ) {
    const { job, start, end } = storedRange(doc, { start: at, end: doc.outputBytes });
    const begin = (chunk: BuildDoc["tail"][number]) => (job === undefined ? chunk.start : chunk.jobStart!);
    const chunk = doc.tail.findLast((one) => (job === undefined || one.job === job) && begin(one) <= start)!;
    const piece = Buffer.from(chunk.text).subarray(start - begin(chunk), end - begin(chunk));
    text += piece.toString();
    at += piece.length;
  }
  return text;
}

describe("jobs of a parallel stage", () => {
  it("start together, and the next stage starts when all have ended", () => {
    const build = prepared(beside, beside, plain);
    expect(build.statuses()).toEqual(["passed", "running", "running", "queued"]);
    build.end(2, "passed");
    expect(build.statuses()).toEqual(["passed", "running", "passed", "queued"]);
    build.end(1, "passed");
    expect(build.statuses()).toEqual(["passed", "passed", "passed", "running"]);
    build.end(3, "passed");
    expect(build.doc().status).toBe("passed");
  });

  it("write one after another into the build's output, however they take turns", () => {
    const build = prepared(beside, beside, beside, plain);
    build.print(2, "b1\n");
    build.print(1, "a1\n");
    build.print(3, "c1\n");
    expect([build.text(), readText(build.doc())]).toEqual(["a1\n", "a1\n"]);
    expect(build.doc().tail.map(({ start }) => start)).toEqual([0, 3, 6]);
    build.end(2, "passed", "b2\n");
    expect(build.text()).toBe("a1\n");
    build.print(3, "c2\n");
    build.print(1, "a2\n");
    build.end(1, "passed");
    expect([build.text(), readText(build.doc())].map((text) => text.split("\n").join(" "))).toEqual(
      Array(2).fill("a1 a2 b1 b2 c1 c2 "),
    );
    build.print(3, "c3\n");
    build.end(3, "passed");
    build.print(4, "d\n");
    expect([build.text(), readText(build.doc())]).toEqual(Array(2).fill("a1\na2\nb1\nb2\nc1\nc2\nc3\nd\n"));
    expect(build.doc().outputBytes).toBe(23);
  });

  it("run to their end when one fails; then the build fails, and its output ends with the reason", () => {
    const build = prepared(beside, beside, plain);
    build.end(1, "failed", "Job failed: exit code 3\n");
    expect(build.statuses()).toEqual(["passed", "failed", "running", "queued"]);
    build.end(2, "passed", "b");
    expect(build.doc()).toMatchObject({ status: "failed", reason: "exit code 3" });
    expect(build.text()).toBe("Job failed: exit code 3\nb\nBuild failed: exit code 3\n");
    expect(readText(build.doc())).toBe(build.text());
  });

  it("all end with a kill", () => {
    const build = prepared(beside, beside, onFailure);
    build.kill();
    build.end(2, "killed", "Build killed by ann\n");
    expect(build.doc().status).toBe("running");
    build.end(1, "killed", "Build killed by ann\n");
    expect(build.doc()).toMatchObject({ status: "killed", reason: "killed by ann" });
    expect(build.text()).toBe("Build killed by ann\nBuild killed by ann\n");
  });

  it("each say in their own output that the build was killed, on a line of its own", () => {
    const build = prepared(beside, beside);
    build.print(1, "first");
    build.print(2, "second");
    build.kill();
    build.end(2, "passed");
    build.end(1, "passed");
    expect(build.text()).toBe("first\nBuild killed by ann\nsecond\nBuild killed by ann\n");
  });

  it("show their output when the last attempt is lost", () => {
    const build = prepared(beside, beside);
    build.print(2, "second\n");
    build.print(1, "first\n");
    build.lose(0);
    expect(readText(build.doc())).toBe("first\nsecond\nRunner stopped, no attempts left\n");
  });

  it("start again after a lost runner, and no output is lost", () => {
    const build = prepared(beside, beside);
    build.print(2, "b1\n");
    build.print(1, "a1\n");
    build.lose();
    expect(build.text()).toBe("a1\nb1\nRunner stopped, build queued again (1 of 2)\n");
    build.claim();
    build.end(0, "passed", "again\n");
    build.print(2, "b2\n");
    build.print(1, "a2\n");
    build.end(1, "passed");
    build.end(2, "passed");
    expect(build.text()).toBe("a1\nb1\nRunner stopped, build queued again (1 of 2)\nagain\na2\nb2\n");
    expect(readText(build.doc())).toBe(build.text());
  });

  it("run one after another with a runner that does not know them", () => {
    const build = prepared(plain, beside, beside);
    build.end(1, "passed", "", false);
    expect(build.statuses()).toEqual(["passed", "passed", "running", "queued"]);
    build.end(2, "passed", "b\n", false);
    expect(build.statuses()).toEqual(["passed", "passed", "passed", "running"]);
    build.end(3, "passed", "c\n", false);
    expect([build.doc().status, build.text()]).toEqual(["passed", "b\nc\n"]);
  });

  it("reject output at the build's offset, and a piece that has arrived is stored once", () => {
    const build = prepared(beside, beside);
    const { epoch } = build.doc();
    expect(() => append(build.doc(), epoch, { jobId: 2, offset: 0, text: "a" }, t0)).toThrow("Output continues at 0");
    build.print(2, "b\n");
    expect(append(build.doc(), epoch, { jobId: 3, offset: 0, jobOffset: 0, text: "b\n" }, t0)).toBeUndefined();
  });
});

describe("conditions", () => {
  it("a job for failures runs after one; the build stays failed, and its output ends with the reason", () => {
    const build = prepared(plain, plain, onFailure);
    build.end(1, "failed", "Job failed: exit code 3\n");
    expect(build.statuses()).toEqual(["passed", "failed", "queued", "running"]);
    build.end(3, "passed", "clean\n");
    expect(build.doc()).toMatchObject({ status: "failed", reason: "exit code 3" });
    expect(build.doc().jobs.map(({ reason }) => reason)).toEqual([
      undefined,
      "exit code 3",
      "not run: the build had failed",
      undefined,
    ]);
    expect(build.text()).toBe("Job failed: exit code 3\nclean\nBuild failed: exit code 3\n");
  });

  it("a job for failures is left out of a build that passes", () => {
    const build = prepared(plain, onFailure);
    build.end(1, "passed");
    expect(build.doc()).toMatchObject({ status: "passed", reason: undefined });
    expect(build.doc().jobs[2]).toMatchObject({ status: "passed", reason: "not run: the build had not failed" });
    expect(build.doc().jobs[2]!.startedAt).toBeUndefined();
  });

  it.each([
    ["before the one that failed", [onFailure, plain, onFailure], 2, "failed"],
    ["before the one that timed out", [onFailure, plain, onFailure], 2, "timed_out"],
    ["before the one that was killed", [onFailure, plain], 2, "killed"],
    ["in the stage of the one that failed", [beside, { ...onFailure, parallel: true }], 1, "failed"],
  ] as const)("a job for failures was passed over %s", (_where, steps, failing, outcome) => {
    const build = prepared(...steps);
    build.end(failing, outcome);
    if (steps.length > 2) build.end(3, "passed");
    const passedOver = build.doc().jobs[failing === 1 ? 2 : 1]!;
    expect([build.doc().status, passedOver.reason]).toEqual([outcome, "not run: the build had not failed"]);
  });

  it("nothing runs after a kill, and a kill ends a job for failures", () => {
    const build = prepared(plain, onFailure, onFailure);
    build.end(1, "failed");
    build.kill();
    build.end(2, "passed");
    expect(build.doc()).toMatchObject({ status: "killed", reason: "killed by ann" });
  });

  it("a runner that does not know them ends the build with the failure", () => {
    const build = prepared(plain, onFailure);
    build.end(1, "failed", "", false);
    expect(build.doc().status).toBe("failed");
  });
});
