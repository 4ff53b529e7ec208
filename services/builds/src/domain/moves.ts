import { Fault } from "@ci/kit/rpc/fault";
import type { Build_Status } from "@ci/proto/builds/v1/builds";
import type { FinishJobRequest_Outcome, TestCounts } from "@ci/proto/builds/v1/queue";
import { requireApproved } from "./approval.js";
import { resetArtifacts } from "./artifacts.js";
import { type BuildDoc, type HeldLease, isFinal, type JobDoc, worst } from "./build.js";
import {
  addOutput,
  applyChange,
  type Change,
  requireEpoch,
  requireHeld,
  requireTransition,
  withEvent,
} from "./change.js";
import { killedReason, notRun, reasonOfBuild, reasonOfJob } from "./reasons.js";
import { testsOf } from "./tests.js";

/** Who claims a build, and what is stored of the lease's secret. */
export interface Claimer {
  readonly runnerId: string;
  readonly leaseHash: string;
}

/** Gives a queued build to a runner and starts the first job. */
export function claim(doc: BuildDoc, { runnerId, leaseHash }: Claimer, leaseMs: number, now: Date): Change {
  requireTransition(doc, "running");
  requireApproved(doc);
  const epoch = doc.epoch + 1;
  const jobs = doc.jobs.map((job, index) => (index === 0 ? start(job, now) : job));
  const set = { status: "running" as const, startedAt: now, epoch, lease: { runnerId, epoch }, leaseHash, jobs };
  return withEvent(doc, { set, leaseMs }, "build.started", now);
}

const start = (job: JobDoc, now: Date): JobDoc => ({ ...job, status: "running", startedAt: now });

const isService = ({ steps }: BuildDoc, job: number): boolean => steps[job]?.service !== undefined;

/** Appends output of the running job, or of a service, at `offset`. Returns undefined if it has already arrived. */
export function append(doc: BuildDoc, epoch: number, jobId: number, offset: number, text: string): Change | undefined {
  requireEpoch(doc, epoch);
  if (text === "") return undefined;
  if (doc.outputBytes === offset + Buffer.byteLength(text)) return undefined;
  const job = doc.jobs.findIndex((one) => one.id === jobId);
  // A service prints until the build ends.
  const isOpen = doc.jobs[job]?.status === "running" || (isService(doc, job) && doc.status === "running");
  if (!isOpen) throw new Fault("conflict", `Job ${jobId} is not running`);
  if (doc.outputBytes !== offset) throw new Fault("conflict", `Output continues at ${doc.outputBytes}, not ${offset}`);
  return addOutput(doc, text, job);
}

const noKill = { killRequestedAt: undefined, killRequestedBy: undefined };

/** Finishes the build. Jobs that never ran take its status. Without `why`, the reason is that of a job. */
function finish(doc: BuildDoc, change: Change, status: Build_Status, now: Date, why?: string): Change {
  requireTransition(doc, status);
  const after = applyChange(doc, change);
  const jobs = after.jobs.map((job) => {
    if (isFinal(job.status)) return job;
    return { ...job, status, finishedAt: now, reason: job.status === "running" && why ? why : notRun(status) };
  });
  const reason = why ?? reasonOfBuild(after.jobs, status);
  const set = { ...change.set, jobs, status, reason, finishedAt: now, lease: undefined, ...noKill };
  return withEvent(doc, { ...change, set }, "build.finished", now);
}

/** Returns the status of a finished job. A kill request overrides every outcome. */
function statusOf(doc: BuildDoc, job: JobDoc, outcome: FinishJobRequest_Outcome): Build_Status {
  if (doc.killRequestedAt) return "killed";
  return outcome === "failed" && job.mayFail ? "passed_with_failures" : outcome;
}

export interface JobReport {
  readonly epoch: number;
  readonly jobId: number;
  readonly outcome: FinishJobRequest_Outcome;
  readonly offset: number;
  readonly text: string;
  readonly placed: readonly number[];
  readonly exitCode?: number;
  readonly reason?: string;
  readonly tests?: TestCounts;
}

/** Adds the line that a runner writes when it kills a job. This one learned of the kill too late. */
function withKilledLine(doc: BuildDoc, { outcome, text }: JobReport): string {
  if (!doc.killRequestedAt || outcome === "killed") return text;
  const last = (text || doc.tail.at(-1)?.text) ?? "";
  return `${text}${last === "" || last.endsWith("\n") ? "" : "\n"}${killedLine(doc)}`;
}

/** Finishes the running job, and starts the next one or finishes the build. Returns undefined for a finished job. */
export function finishJob(doc: BuildDoc, report: JobReport, now: Date): Change | undefined {
  requireEpoch(doc, report.epoch);
  const index = doc.jobs.findIndex((job) => job.id === report.jobId);
  const job = doc.jobs[index];
  if (!job) throw new Fault("conflict", `Build ${doc._id} has no job ${report.jobId}`);
  if (isFinal(job.status)) return undefined;
  if (job.status !== "running") throw new Fault("conflict", `Job ${report.jobId} is not running`);
  const text = withKilledLine(doc, report);
  const appended = append(doc, report.epoch, report.jobId, report.offset, text) ?? { set: {}, output: [] };
  const after = applyChange(doc, appended);
  const status = statusOf(doc, job, report.outcome);
  const reason = reasonOfJob(doc, status, report);
  const continues = status === "passed" || status === "passed_with_failures";
  const jobs = after.jobs.map((one, at) => {
    if (at === index) {
      const tests = report.tests ? { tests: report.tests } : {};
      return { ...one, status, finishedAt: now, exitCode: report.exitCode, reason, ...tests };
    }
    return continues && at === index + 1 ? start(one, now) : one;
  });
  const objects = doc.objects.map((object) =>
    report.placed.includes(object.id) ? { ...object, placed: true } : object,
  );
  const tests = report.tests && { tests: testsOf(jobs) };
  const set = { ...appended.set, jobs, ...(report.placed.length > 0 ? { objects } : {}), ...tests };
  const change = { ...appended, set };
  if (continues && index + 1 < jobs.length) return change;
  const ran = jobs.filter((one) => isFinal(one.status)).map((one) => one.status);
  return finish(doc, change, worst(ran), now);
}

/** Kills a queued build at once, and a running one through its runner. `by` is the username if a user asks. */
export function kill(doc: BuildDoc, now: Date, by?: string): Change | undefined {
  if (isFinal(doc.status)) return undefined;
  if (doc.status === "queued") return finish(doc, { set: {} }, "killed", now, killedReason(by));
  return doc.killRequestedAt ? undefined : { set: { killRequestedAt: now, killRequestedBy: by } };
}

/** How often a build may be requeued, and the id of the tag that marks it. */
interface Returns {
  readonly returns: number;
  readonly tagId: number;
}

/** Requeues the build of a silent runner, unless its lease was renewed since it was read as expired. */
export function lose(doc: BuildDoc, ended: HeldLease, limits: Returns, now: Date): Change | undefined {
  const { lease } = doc;
  if (lease?.epoch !== ended.epoch || lease.until?.getTime() !== ended.until?.getTime()) return undefined;
  return requeue(doc, "Runner lost", limits, now);
}

// A returned build counts as lost. Otherwise a build that fills its runners' disks would be requeued forever.
export function giveBack(doc: BuildDoc, epoch: number, limits: Returns, now: Date): Change {
  requireHeld(doc, epoch);
  return requeue(doc, "Runner stopped", limits, now);
}

/** Returns the line that a runner writes when it kills a build. This runner was lost before it could write it. */
const killedLine = ({ killRequestedBy }: BuildDoc) => `Build ${killedReason(killRequestedBy)}\n`;

function requeue(doc: BuildDoc, why: string, limits: Returns, now: Date): Change {
  if (doc.killRequestedAt)
    return finish(doc, addOutput(doc, killedLine(doc)), "killed", now, killedReason(doc.killRequestedBy));
  if (doc.returns >= limits.returns)
    return finish(doc, addOutput(doc, `${why}, no attempts left\n`), "failed", now, why.toLowerCase());
  const returns = doc.returns + 1;
  const output = addOutput(doc, `${why}, build queued again (${returns} of ${limits.returns})\n`);
  const jobs = doc.jobs.map((job) => ({
    ...job,
    status: "queued" as const,
    startedAt: undefined,
    finishedAt: undefined,
    exitCode: undefined,
    reason: undefined,
    tests: undefined,
  }));
  const isTagged = doc.tags.some((tag) => tag.name === "orphaned");
  const tag = { id: limits.tagId, userId: doc.userId, buildId: doc._id, name: "orphaned", createdAt: now };
  return {
    ...output,
    set: {
      ...output.set,
      status: "queued",
      startedAt: undefined,
      lease: undefined,
      returns,
      jobs,
      tests: undefined,
      ...resetArtifacts(doc),
      objects: doc.objects.map((object) => ({ ...object, placed: false })),
      tags: isTagged ? doc.tags : [...doc.tags, tag],
    },
  };
}
