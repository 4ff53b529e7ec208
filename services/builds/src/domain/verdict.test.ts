import { after, aJob, t0 } from "../../test/_build.js";
import { end, kinds, running, statuses, textOf } from "../../test/_moves.js";
import type { BuildDoc, JobDoc, Verdict } from "./build.js";
import { applyChange } from "./change.js";
import { finishJob } from "./moves.js";
import { giveBack, lose } from "./take-back.js";
import { recordVerdict } from "./verdict.js";

const late = after(20_000);
const limits = { returns: 2, tagId: 55 };
const failed = { outcome: "failed", exitCode: 3, reason: "exit code 3" } as const;
const tests = { total: 5, failed: 1, skipped: 0, seconds: 2 };

const atSecond = (overrides: Partial<BuildDoc> = {}) => end(running(overrides), "passed", "half").doc;

function decided(doc: BuildDoc, verdict: Partial<Verdict> = {}): BuildDoc {
  const { id: jobId } = doc.jobs.findLast(({ status }) => status === "running")!;
  return applyChange(doc, recordVerdict(doc, { epoch: doc.epoch, jobId, ...failed, ...verdict }, late));
}

const lost = (doc: BuildDoc) => lose(doc, doc.lease!, limits, late)!;

it("a lost build ends as its verdict says, in one change with its event", () => {
  const change = lost(decided(atSecond(), { tests }));
  const doc = applyChange(atSecond(), change);
  expect(doc).toMatchObject({ status: "failed", reason: "exit code 3", finishedAt: late, returns: 0, tags: [], tests });
  expect(doc.jobs[1]).toMatchObject({ status: "failed", exitCode: 3, reason: "exit code 3", tests });
  expect(doc.jobs[2]).toMatchObject({ status: "failed", reason: "not run: the build had failed" });
  expect([doc.lease, doc.verdict]).toEqual([undefined, undefined]);
  expect(textOf(doc)).toBe("half\nRunner lost while the failed machine stayed\nJob failed: exit code 3\n");
  expect(kinds(change)).toEqual(["build.finished"]);
});

it("a build that is given back ends as its verdict says, even without attempts left", () => {
  const doc = decided(atSecond({ returns: 2 }));
  const ended = applyChange(doc, giveBack(doc, doc.epoch, limits, late));
  expect(ended).toMatchObject({ status: "failed", reason: "exit code 3" });
  expect(textOf(ended)).toContain("\nRunner stopped while the failed machine stayed\nJob failed: exit code 3\n");
});

it("a last job that passes after a failure does not hide the failure", () => {
  const steps = [{ commands: [] }, { commands: [] }, { commands: [], skipAfterSuccess: true, runAfterFailure: true }];
  const doc = atSecond({ steps });
  const report = { epoch: 1, jobId: 2, ...failed, offset: doc.outputBytes, text: "\n", placed: [], followsOrder: true };
  const last = decided(applyChange(doc, finishJob(doc, report, late)!), { outcome: "passed", reason: undefined });
  const ended = applyChange(last, lost(last));
  expect(statuses(ended)).toEqual(["passed", "failed", "passed"]);
  expect(ended).toMatchObject({ status: "failed", reason: "exit code 3" });
  expect(textOf(ended)).toBe("half\nRunner lost while the failed machine stayed\nBuild failed: exit code 3\n");
});

it("a job of the same stage whose end was not reported fails with its runner", () => {
  const steps = [{ commands: [] }, { commands: [], parallel: true }, { commands: [], parallel: true }];
  const first = running({ steps });
  const report = {
    epoch: 1,
    jobId: 1,
    outcome: "passed",
    offset: 0,
    text: "",
    placed: [],
    followsOrder: true,
  } as const;
  const doc = decided(applyChange(first, finishJob(first, report, t0)!));
  const ended = applyChange(doc, lost(doc));
  expect(ended.jobs.map(({ status, reason }) => [status, reason])).toEqual([
    ["passed", undefined],
    ["failed", "runner lost"],
    ["failed", "exit code 3"],
  ]);
  expect(ended.status).toBe("failed");
});

it("a requested kill wins over the verdict", () => {
  const doc = { ...decided(atSecond()), killRequestedAt: t0, killRequestedBy: "ann" };
  expect(applyChange(doc, lost(doc))).toMatchObject({ status: "killed", reason: "killed by ann" });
});

it("the verdict of an earlier claim, which an older version has kept, does not count", () => {
  const doc = decided(atSecond());
  const next = { ...doc, epoch: 2, lease: { ...doc.lease!, epoch: 2 } };
  expect(applyChange(next, lost(next))).toMatchObject({ status: "queued", returns: 1 });
});

it("the runner's own report ends the job and removes the verdict", () => {
  const { doc } = end(decided(atSecond()), "killed");
  expect([doc.status, doc.verdict]).toEqual(["killed", undefined]);
});

it.each<[string, Partial<Verdict>, Partial<JobDoc>]>([
  ["a job that does not run", { jobId: 3 }, {}],
  ["a job that does not exist", { jobId: 99 }, {}],
  ["an old epoch", { epoch: 0 }, {}],
  ["a job after which others run", { outcome: "passed" }, {}],
  ["a failure after which others run", {}, { mayFail: true }],
])("%s has no verdict", (_what, verdict, job) => {
  const doc = atSecond({ jobs: [aJob(1), aJob(2, job), aJob(3)] });
  expect(() => decided(doc, verdict)).toThrow(expect.objectContaining({ code: "conflict" }));
});

it("a failure has no verdict while a job for failures is still to run", () => {
  const steps = [{ commands: [] }, { commands: [] }, { commands: [], runAfterFailure: true }];
  expect(() => decided(atSecond({ steps }))).toThrow(expect.objectContaining({ code: "conflict" }));
});

it("a verdict may be recorded again", () => {
  const doc = decided(atSecond());
  expect(decided(doc).verdict).toEqual(doc.verdict);
});
