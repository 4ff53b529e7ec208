import { Fault } from "@ci/kit/rpc/fault";
import type { Build_Status } from "@ci/proto/builds/v1/builds";
import type { FinishJobRequest_Outcome } from "@ci/proto/builds/v1/queue";
import { uncollected } from "./artifacts.js";
import { type BuildDoc, type HeldLease, isFinal, type JobDoc, worst } from "./build.js";
import { applied, type Change, demand, reported, speak } from "./change.js";

/** A runner takes a queued build: its first job starts with it. */
export function claim(doc: BuildDoc, lease: Pick<HeldLease, "runnerId">, leaseMs: number, now: Date): Change {
  demand(doc, "running");
  const epoch = doc.epoch + 1;
  const jobs = doc.jobs.map((job, index) => (index === 0 ? start(job, now) : job));
  const set = { status: "running" as const, startedAt: now, epoch, lease: { ...lease, epoch }, jobs };
  return reported(doc, { set, leaseMs }, "build.started", now);
}

const start = (job: JobDoc, now: Date): JobDoc => ({ ...job, status: "running", startedAt: now });
const end = (job: JobDoc, status: Build_Status, now: Date): JobDoc => ({ ...job, status, finishedAt: now });

/** Refuses a runner that has lost the build. A build that this runner has ended itself is still its own. */
export function holdsEpoch(doc: BuildDoc, epoch: number): void {
  if (doc.epoch !== epoch || doc.status === "queued")
    throw new Fault("conflict", `Build ${doc._id} is no longer held under epoch ${epoch}`);
}

/** Refuses what only a running build takes: what is over stays as it is, also for the runner that has ended it. */
export function isHeld(doc: BuildDoc, epoch: number): void {
  holdsEpoch(doc, epoch);
  if (doc.status !== "running") throw new Fault("conflict", `Build ${doc._id} is over`);
}

/** Text of the running job, placed at `offset`. Answers undefined when it has already arrived. */
export function append(doc: BuildDoc, epoch: number, jobId: number, offset: number, text: string): Change | undefined {
  holdsEpoch(doc, epoch);
  if (text === "") return undefined;
  if (doc.outputBytes === offset + Buffer.byteLength(text)) return undefined;
  const job = doc.jobs.findIndex((one) => one.id === jobId);
  if (doc.jobs[job]?.status !== "running") throw new Fault("conflict", `Job ${jobId} is not running`);
  if (doc.outputBytes !== offset) throw new Fault("conflict", `Output continues at ${doc.outputBytes}, not ${offset}`);
  return speak(doc, text, job);
}

const nobodyKills = { killRequestedAt: undefined, killRequestedBy: undefined };

/** Ends the build: jobs that never ran take its status. */
function finish(doc: BuildDoc, change: Change, status: Build_Status, now: Date): Change {
  demand(doc, status);
  const after = applied(doc, change);
  const jobs = after.jobs.map((job) => (isFinal(job.status) ? job : end(job, status, now)));
  const set = { ...change.set, jobs, status, finishedAt: now, lease: undefined, ...nobodyKills };
  return reported(doc, { ...change, set }, "build.finished", now);
}

/** What a job's end means: a failure in a stage that may fail does not stop the build, a wish to kill overrules all. */
function statusOf(doc: BuildDoc, job: JobDoc, outcome: FinishJobRequest_Outcome): Build_Status {
  if (doc.killRequestedAt) return "killed";
  return outcome === "failed" && job.mayFail ? "passed_with_failures" : outcome;
}

/** The running job ends; the next one starts, or the build ends. Undefined when that has already been written. */
export function finishJob(
  doc: BuildDoc,
  ask: {
    epoch: number;
    jobId: number;
    outcome: FinishJobRequest_Outcome;
    offset: number;
    text: string;
    placed: readonly number[];
  },
  now: Date,
): Change | undefined {
  holdsEpoch(doc, ask.epoch);
  const index = doc.jobs.findIndex((job) => job.id === ask.jobId);
  const job = doc.jobs[index];
  if (!job) throw new Fault("conflict", `Build ${doc._id} has no job ${ask.jobId}`);
  if (isFinal(job.status)) return undefined;
  if (job.status !== "running") throw new Fault("conflict", `Job ${ask.jobId} is not running`);
  const said = append(doc, ask.epoch, ask.jobId, ask.offset, ask.text) ?? { set: {}, say: [] };
  const after = applied(doc, said);
  const status = statusOf(doc, job, ask.outcome);
  const goesOn = status === "passed" || status === "passed_with_failures";
  const jobs = after.jobs.map((one, at) => {
    if (at === index) return end(one, status, now);
    return goesOn && at === index + 1 ? start(one, now) : one;
  });
  const objects = doc.objects.map((object) => (ask.placed.includes(object.id) ? { ...object, placed: true } : object));
  const change = { ...said, set: { ...said.set, jobs, ...(ask.placed.length > 0 ? { objects } : {}) } };
  if (goesOn && index + 1 < jobs.length) return change;
  const ran = jobs.filter((one) => isFinal(one.status)).map((one) => one.status);
  return finish(doc, change, worst(ran), now);
}

/** A user, called `by`, or the end of one wants the build ended: at once while it is queued, by its runner while it runs. */
export function kill(doc: BuildDoc, now: Date, by?: string): Change | undefined {
  if (isFinal(doc.status)) return undefined;
  if (doc.status === "queued") return finish(doc, { set: {} }, "killed", now);
  return doc.killRequestedAt ? undefined : { set: { killRequestedAt: now, killRequestedBy: by } };
}

/** How often a build may be queued again, and the id of the tag that tells of it. */
interface Returns {
  readonly returns: number;
  readonly tagId: number;
}

/**
 * The runner went silent: back to the queue while there are returns left. `ended` is the lease that has ended; a build
 * whose lease was renewed after that is not lost.
 */
export function lose(doc: BuildDoc, ended: HeldLease, limits: Returns, now: Date): Change | undefined {
  const { lease } = doc;
  if (lease?.epoch !== ended.epoch || lease.until?.getTime() !== ended.until?.getTime()) return undefined;
  return requeue(doc, "Runner lost", limits, now);
}

/**
 * The runner that holds it ends and will not finish it. It counts like a loss: a build that has its runners ended, by
 * filling their disks for instance, would go round for ever.
 */
export function giveBack(doc: BuildDoc, epoch: number, limits: Returns, now: Date): Change {
  isHeld(doc, epoch);
  return requeue(doc, "Runner stopped", limits, now);
}

/** What a runner says that ends a build on request: this one has not come to it. */
const killedLine = ({ killRequestedBy }: BuildDoc) =>
  killRequestedBy === undefined ? "Build killed\n" : `Build killed by ${killRequestedBy}\n`;

function requeue(doc: BuildDoc, why: string, limits: Returns, now: Date): Change {
  if (doc.killRequestedAt) return finish(doc, speak(doc, killedLine(doc)), "killed", now);
  if (doc.returns >= limits.returns) return finish(doc, speak(doc, `${why}, no attempts left\n`), "failed", now);
  const returns = doc.returns + 1;
  const said = speak(doc, `${why}, build queued again (${returns} of ${limits.returns})\n`);
  const jobs = doc.jobs.map((job) => ({
    ...job,
    status: "queued" as const,
    startedAt: undefined,
    finishedAt: undefined,
  }));
  const tagged = doc.tags.some((tag) => tag.name === "orphaned");
  const tag = { id: limits.tagId, userId: doc.userId, buildId: doc._id, name: "orphaned", createdAt: now };
  return {
    ...said,
    set: {
      ...said.set,
      status: "queued",
      startedAt: undefined,
      lease: undefined,
      returns,
      jobs,
      ...uncollected(doc),
      objects: doc.objects.map((object) => ({ ...object, placed: false })),
      tags: tagged ? doc.tags : [...doc.tags, tag],
    },
  };
}
