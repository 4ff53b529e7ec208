import { Fault } from "@ci/kit/rpc/fault";
import { nextJobs } from "@ci/manifest/next-jobs";
import type { Build_Status } from "@ci/proto/builds/v1/builds";
import type { FinishJobRequest_Outcome } from "@ci/proto/builds/v1/queue";
import { forgotten, requireApproved } from "./approval.js";
import { type BuildDoc, isFinal, type JobDoc, type Verdict, worst } from "./build.js";
import { addOutput, applyChange, type Change, joined, requireEpoch, requireTransition, withEvent } from "./change.js";
import { killedReason, lastLine, notRun, reasonOfBuild, reasonOfJob } from "./reasons.js";
import { addBeside, beginParts, runningIn, shownTail, showParts } from "./side-by-side.js";
import { testsOf } from "./tests.js";

/** The runner that claims a build, and the hash of the lease's secret. */
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

/** Reports whether this very claim gave the build to its runner: each has a secret of its own. */
export const isClaimedBy = ({ status, leaseHash }: BuildDoc, claimer: Pick<Claimer, "leaseHash">): boolean =>
  status === "running" && leaseHash === claimer.leaseHash;

const start = (job: JobDoc, now: Date): JobDoc => ({ ...job, status: "running", startedAt: now });

/** A piece of a job's output. Its offset is in the job's output for a parallel job, otherwise in the build's. */
export interface Piece {
  readonly jobId: number;
  readonly offset: number;
  readonly jobOffset?: number | undefined;
  readonly text: string;
}

/** Reports whether a job represents a service that may print until the build ends, even if it never becomes ready. */
const isService = ({ steps, jobs }: BuildDoc, job: number): boolean =>
  steps[job]?.service !== undefined && jobs[job]?.status !== "running";

/** Places a service's output after that of the running jobs. */
function withPlace(doc: BuildDoc, service: number): BuildDoc {
  if (doc.jobs[service]!.beside) return doc;
  const jobs = doc.jobs.map((job, at) => (at === service ? { ...job, beside: true } : job));
  return { ...doc, jobs, ...beginParts(doc, [service], jobs) };
}

/** Appends output of a running job, or of a service, at its offset. Returns undefined if it has already arrived. */
export function append(read: BuildDoc, epoch: number, { jobId, text, ...piece }: Piece, now: Date): Change | undefined {
  requireEpoch(read, epoch);
  if (text === "") return undefined;
  const index = read.jobs.findIndex((one) => one.id === jobId);
  const isOpenService = read.status === "running" && isService(read, index);
  const doc = isOpenService ? withPlace(read, index) : read;
  const job = doc.jobs[index];
  const offset = job?.beside ? piece.jobOffset : piece.offset;
  const size = job?.beside ? job.outputBytes : doc.outputBytes;
  if (offset !== undefined && size === offset + Buffer.byteLength(text)) return undefined;
  if (!job || (job.status !== "running" && !isOpenService)) throw new Fault("conflict", `Job ${jobId} is not running`);
  if (size !== offset) throw new Fault("conflict", `Output continues at ${size}, not ${offset}`);
  return job.beside ? addBeside(doc, text, now, index) : addOutput(doc, text, now, index);
}

const endsLine = (text = ""): boolean => text === "" || text.endsWith("\n");

const lineAfter = (texts: readonly (string | undefined)[], line: string): string =>
  `${texts.every(endsLine) ? "" : "\n"}${line}\n`;

const lastText = (doc: BuildDoc): string | undefined => shownTail(doc).at(-1)?.text;

export const addLine = (doc: BuildDoc, line: string, now: Date) =>
  addOutput(doc, lineAfter([lastText(doc)], line), now);

const notRunning = {
  lease: undefined,
  verdict: undefined,
  killRequestedAt: undefined,
  killRequestedBy: undefined,
};

/** Shows the output of all jobs of a parallel stage, which ends. */
export const showAll = (doc: BuildDoc): BuildDoc => (doc.parts ? { ...doc, ...showParts(doc, () => false) } : doc);

/** Adds the reason to the output, unless that ends with the last job that ran, which has the same reason. */
function sayWhy(
  doc: BuildDoc,
  status: Build_Status,
  reason: string | undefined,
  now: Date,
): Required<Pick<Change, "set" | "output">> {
  const last = doc.jobs.findLastIndex(({ startedAt }) => startedAt);
  const shown = shownTail(doc).at(-1);
  const isSaid = doc.jobs[last]?.reason === reason && (!shown || shown.job === last);
  if (reason === undefined || isSaid) return { set: {}, output: [] };
  return addLine(doc, lastLine(status, reason), now);
}

/** Finishes the build. Jobs that never ran get its status. Without `why`, the reason comes from a job. */
export function finish(doc: BuildDoc, change: Change, status: Build_Status, now: Date, why?: string): Change {
  requireTransition(doc, status);
  const after = showAll(applyChange(doc, change));
  const reason = why ?? reasonOfBuild(after.jobs, status);
  const line = why === undefined ? sayWhy(after, status, reason, now) : { set: {}, output: [] };
  const jobs = after.jobs.map((job, index) => {
    if (isFinal(job.status)) return job;
    const own = job.status === "running" && why ? why : notRun(after, index, status);
    return { ...job, status, finishedAt: now, reason: own };
  });
  const shown = after.parts ? { outputBytes: after.outputBytes, parts: after.parts } : {};
  const set = {
    ...change.set,
    ...shown,
    ...line.set,
    jobs,
    status,
    reason,
    finishedAt: now,
    ...notRunning,
  };
  const output = [...(change.output ?? []), ...line.output];
  return withEvent(doc, { ...change, set, output }, "build.finished", now);
}

/** Returns the status of a finished job. A kill request overrides every outcome. */
function statusOf(doc: BuildDoc, job: JobDoc, outcome: FinishJobRequest_Outcome): Build_Status {
  if (doc.killRequestedAt) return "killed";
  return outcome === "failed" && job.mayFail ? "passed_with_failures" : outcome;
}

export interface JobReport extends Piece, Verdict {
  /** The runner supports conditions and parallel stages. */
  readonly followsOrder?: boolean;
  readonly placed: readonly number[];
}

const killedLine = ({ killRequestedBy }: BuildDoc): string => `Build ${killedReason(killRequestedBy)}`;

/** Adds lines to a job's output in place of its runner. */
export function addJobLines(doc: BuildDoc, index: number, lines: string, now: Date): Change {
  const own = doc.tail.findLast(({ job }) => job === index)?.text;
  if (doc.jobs[index]!.beside) return addBeside(doc, lineAfter([own], lines), now, index);
  return addOutput(doc, lineAfter([own, lastText(doc)], lines), now, index);
}

function appendRest(doc: BuildDoc, index: number, report: JobReport, now: Date): Change {
  const rest = append(doc, report.epoch, report, now) ?? { set: {}, output: [] };
  if (!doc.killRequestedAt || report.outcome === "killed") return rest;
  // This runner learned of the kill too late.
  return joined(rest, addJobLines(applyChange(doc, rest), index, killedLine(doc), now));
}

/** Returns the indexes of the jobs to start after this one has ended. `jobs` have the new statuses. */
function startedAfter(doc: BuildDoc, index: number, jobs: readonly JobDoc[], followsOrder: boolean): number[] {
  const ended = jobs.map(({ status }) => status);
  if (ended.includes("running") || ended.includes("killed")) return [];
  const failed = ended.includes("failed") || ended.includes("timed_out");
  if (!followsOrder) return failed || index + 1 === jobs.length ? [] : [index + 1];
  return nextJobs(
    jobs.map(({ stage }, at) => ({ stage, ...doc.steps[at] })),
    index,
    failed,
  );
}

/** Starts these jobs, in parallel if there are several. */
function startJobs(doc: BuildDoc, next: readonly number[], now: Date): Partial<Pick<BuildDoc, "jobs" | "parts">> {
  const beside = next.length > 1 ? { beside: true } : {};
  const jobs = doc.jobs.map((job, at) => (next.includes(at) ? { ...start(job, now), ...beside } : job));
  if (next.length > 1) return { jobs, ...beginParts(doc, next, jobs) };
  return doc.jobs.some(({ beside }) => beside) ? { jobs, ...showParts(doc, runningIn(jobs)) } : { jobs };
}

/**
 * Finishes a running job. If no other job is running, starts the next ones or finishes the build. Returns undefined if
 * the job has already finished.
 */
export function finishJob(doc: BuildDoc, report: JobReport, now: Date): Change | undefined {
  requireEpoch(doc, report.epoch);
  const index = doc.jobs.findIndex((job) => job.id === report.jobId);
  const job = doc.jobs[index];
  if (!job) throw new Fault("conflict", `Build ${doc._id} has no job ${report.jobId}`);
  if (isFinal(job.status)) return undefined;
  if (job.status !== "running") throw new Fault("conflict", `Job ${report.jobId} is not running`);
  const appended = appendRest(doc, index, report, now);
  const after = applyChange(doc, appended);
  const status = statusOf(doc, job, report.outcome);
  const reason = reasonOfJob(doc, status, report);
  const own = report.tests ? { tests: report.tests } : {};
  const ended = after.jobs.map((one, at) =>
    at === index ? { ...one, status, finishedAt: now, exitCode: report.exitCode, reason, ...own } : one,
  );
  const next = startedAfter(doc, index, ended, report.followsOrder ?? false);
  const placed = doc.objects.map((object) =>
    report.placed.includes(object.id) ? { ...object, placed: true } : object,
  );
  const objects = report.placed.length > 0 ? { objects: placed } : {};
  const tests = report.tests ? { tests: testsOf(ended) } : {};
  const set = { ...appended.set, ...startJobs({ ...after, jobs: ended }, next, now), ...objects, ...tests };
  const change = { ...appended, set };
  if (next.length > 0 || ended.some((one) => one.status === "running")) return change;
  return finish(doc, change, worst(ended.map((one) => one.status)), now);
}

export const finishKilled = (doc: BuildDoc, now: Date): Change =>
  finish(doc, addLine(doc, killedLine(doc), now), "killed", now, killedReason(doc.killRequestedBy));

/** Kills a queued build at once, and a running one through its runner. `by` is the name of the user, if a user asks. */
export function kill(doc: BuildDoc, now: Date, by?: string): Change | undefined {
  if (isFinal(doc.status)) return undefined;
  if (doc.status === "queued")
    return doc.outputBytes > 0
      ? finishKilled({ ...doc, killRequestedBy: by }, now)
      : finish(doc, { set: forgotten(doc) }, "killed", now, killedReason(by));
  return doc.killRequestedAt ? undefined : { set: { killRequestedAt: now, killRequestedBy: by } };
}
