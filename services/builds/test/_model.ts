/**
 * A second implementation of the contract (8.1 to 8.5), independent of domain/. The tests apply each step to the service
 * and to this model and compare the two. The model has only what a caller can see.
 */

export type Status = "queued" | "running" | "passed" | "passed_with_failures" | "failed" | "killed" | "timed_out";
export type Outcome = "passed" | "failed" | "killed" | "timed_out";

/** What the manifest says about a job. */
export interface JobPlan {
  readonly mayFail?: boolean;
  /** The jobs of a stage that have this run at the same time. */
  readonly parallel?: string;
  /** The states of the build in which it runs: "passed" if absent. */
  readonly on?: readonly ("passed" | "failed")[];
}

export interface JobModel {
  status: Status;
  readonly plan: JobPlan;
  startedAt?: number;
  finishedAt?: number;
  exitCode?: number;
  reason?: string;
  text: string;
}

export interface BuildModel {
  readonly userId: number;
  readonly id: number;
  readonly number: number;
  /** In order of execution. */
  readonly jobs: JobModel[];
  readonly comment: string;
  status: Status;
  tags: Set<string>;
  pinned: boolean;
  startedAt?: number;
  finishedAt?: number;
  reason?: string;
  /** The output, without that of a parallel stage that runs. */
  settled: string;
  /** The job whose text ends `settled`; undefined if that is a line of the service. */
  lastWriter?: JobModel | undefined;
  /** The output of a parallel stage that runs, by job. */
  parts: Map<JobModel, string>;
  /** Its runner knows conditions and parallel stages. */
  followsOrder: boolean;
  /** Sizes by name; undefined while an artifact is not collected. */
  artifacts: Map<string, number | undefined>;
  epoch: number;
  leaseUntil: number;
  returns: number;
  killRequested: boolean;
  killedBy?: string;
  /** How the job with this index ends if the runner with this epoch is lost. */
  verdict?: Verdict;
  /** Kinds, in order. */
  events: string[];
}

const order: Status[] = ["queued", "running", "passed", "passed_with_failures", "failed", "killed", "timed_out"];
export const isFinal = (status: Status) => order.indexOf(status) > 1;
const worseOf = (a: Status, b: Status) => (order.indexOf(a) > order.indexOf(b) ? a : b);

export function submitBuild(
  identity: Pick<BuildModel, "userId" | "id" | "number" | "comment">,
  plans: readonly JobPlan[],
  tags: Iterable<string>,
  artifacts: readonly string[],
): BuildModel {
  return {
    ...identity,
    jobs: plans.map((plan) => ({ status: "queued", plan, text: "" })),
    status: "queued",
    tags: new Set(tags),
    pinned: false,
    settled: "",
    parts: new Map(),
    followsOrder: true,
    artifacts: new Map(artifacts.map((name) => [name, undefined])),
    epoch: 0,
    leaseUntil: 0,
    returns: 0,
    killRequested: false,
    events: ["build.submitted"],
  };
}

export const runningJobs = (build: BuildModel) => build.jobs.filter((job) => job.status === "running");

/** The build's output: of a parallel stage, the jobs' outputs in order, up to the first one that runs. */
export function textOf({ settled, parts }: BuildModel): string {
  let text = settled;
  for (const [job, part] of parts) {
    text += part;
    if (job.status === "running") break;
  }
  return text;
}

function settle(build: BuildModel): void {
  for (const [job, part] of build.parts) if (part !== "") build.lastWriter = job;
  build.settled += [...build.parts.values()].join("");
  build.parts.clear();
}

export function claimBuild(build: BuildModel, now: number, leaseMs: number, followsOrder: boolean): void {
  build.followsOrder = followsOrder;
  build.status = "running";
  build.startedAt = now;
  build.epoch++;
  build.leaseUntil = now + leaseMs;
  Object.assign(build.jobs[0]!, { status: "running", startedAt: now });
  build.events.push("build.started");
}

/** Reports whether a runner with this epoch may still write. */
export const mayWrite = (build: BuildModel, epoch: number) => build.status === "running" && build.epoch === epoch;

export function appendOutput(build: BuildModel, job: JobModel | undefined, text: string): void {
  const part = job && build.parts.get(job);
  if (job) job.text += text;
  if (part === undefined) {
    build.settled += text;
    if (text !== "") build.lastWriter = job;
  } else build.parts.set(job!, part + text);
}

/** Appends a line of the service, even if the output ends within a line. */
function appendLine(build: BuildModel, job: JobModel | undefined, line: string): void {
  const texts = [...(job ? [job.text] : []), ...(job && build.parts.has(job) ? [] : [build.settled])];
  const isWithin = texts.some((text) => text !== "" && !text.endsWith("\n"));
  appendOutput(build, job, `${isWithin ? "\n" : ""}${line}\n`);
}

/** Returns the jobs that run once those before have ended. */
function nextJobs({ jobs, followsOrder }: BuildModel): JobModel[] {
  const last = jobs.findLastIndex(({ startedAt }) => startedAt !== undefined);
  const failed = jobs.some(({ status }) => status === "failed" || status === "timed_out");
  if (jobs.some(({ status }) => status === "killed") || (failed && (last === 0 || !followsOrder))) return [];
  if (!followsOrder) return jobs.slice(last + 1, last + 2);
  const stage = jobs[last]!.plan.parallel;
  const later = jobs.slice(last + 1).filter(({ plan }) => stage === undefined || plan.parallel !== stage);
  const able = later.filter(({ plan: { on = ["passed"] } }) => on.includes(failed ? "failed" : "passed"));
  const together = able[0]?.plan.parallel;
  return together === undefined ? able.slice(0, 1) : able.filter(({ plan }) => plan.parallel === together);
}

const ended: Partial<Record<Status, string>> = {
  failed: "the build had failed",
  killed: "the build was killed",
  timed_out: "the build had timed out",
};

const failures: Partial<Record<Status, string>> = {
  failed: "failed: ",
  passed_with_failures: "passed with failures: ",
};

/** Reports whether a job is only for failures, and was left out because there was none before it. */
const wasLeftOut = ({ plan }: JobModel, index: number, first: number, { jobs }: BuildModel): boolean =>
  plan.on?.includes("passed") === false &&
  (index < first || (first >= 0 && plan.parallel !== undefined && jobs[first]!.plan.parallel === plan.parallel));

/** `why` is the reason of the build and of its running jobs, if no job has reported one. */
function endBuild(build: BuildModel, status: Status, now: number, why?: string): void {
  settle(build);
  build.status = status;
  build.finishedAt = now;
  if (status !== "passed") build.reason = why ?? build.jobs.find((job) => job.status === status)?.reason;
  build.killRequested = false;
  build.killedBy = undefined;
  const last = build.jobs.findLast(({ startedAt }) => startedAt !== undefined);
  const isSaid = last?.reason === build.reason && (build.settled === "" || build.lastWriter === last);
  if (why === undefined && build.reason !== undefined && !isSaid)
    appendLine(build, undefined, `Build ${failures[status] ?? ""}${build.reason}`);
  const first = build.jobs.findIndex((job) => job.status === "running" || ended[job.status] !== undefined);
  for (const [index, job] of build.jobs.entries()) {
    if (isFinal(job.status)) continue;
    const how = wasLeftOut(job, index, first, build) ? undefined : ended[status];
    const reason = job.status === "running" && why ? why : `not run: ${how ?? "the build had not failed"}`;
    Object.assign(job, { status, finishedAt: now, reason });
  }
  build.events.push("build.finished");
}

/** What a runner reports of a job's end. `text` is the rest of its output. */
export interface End {
  readonly outcome: Outcome;
  readonly text: string;
  readonly exitCode?: number;
  readonly reason?: string;
}

export interface Verdict extends Omit<End, "text"> {
  readonly epoch: number;
  readonly index: number;
}

/** Ends a running job. */
export function endJob(build: BuildModel, job: JobModel, { outcome, text, exitCode, reason }: End, now: number): void {
  appendOutput(build, job, text);
  Object.assign(job, { finishedAt: now, exitCode });
  if (outcome !== "passed")
    job.reason = reason ?? { failed: undefined, killed: "killed", timed_out: "timed out" }[outcome];
  if (build.killRequested) {
    job.status = "killed";
    job.reason = `killed by ${build.killedBy}`;
    if (outcome !== "killed") appendLine(build, job, `Build killed by ${build.killedBy}`);
  } else job.status = outcome === "failed" && job.plan.mayFail ? "passed_with_failures" : outcome;
  if (runningJobs(build).length > 0) return;
  settle(build);
  const next = nextJobs(build);
  for (const one of next) Object.assign(one, { status: "running", startedAt: now });
  if (next.length > 1) build.parts = new Map(next.map((one) => [one, ""]));
  const ran = build.jobs.map(({ status }) => status).filter(isFinal);
  if (next.length === 0) endBuild(build, ran.reduce<Status>(worseOf, "passed"), now);
}

export function killBuild(build: BuildModel, now: number, by: string): void {
  if (build.status === "queued") {
    if (textOf(build) !== "") appendLine(build, undefined, `Build killed by ${by}`);
    endBuild(build, "killed", now, `killed by ${by}`);
  } else if (build.status === "running" && !build.killRequested) {
    build.killRequested = true;
    build.killedBy = by;
  }
}

/** Ends a build whose runner was lost after it had recorded how its last job ended. */
function endAsRecorded(build: BuildModel, { index, outcome, exitCode, reason }: Verdict, now: number): void {
  const job = build.jobs[index]!;
  const others = runningJobs(build).filter((one) => one !== job);
  for (const one of others) Object.assign(one, { status: "failed", finishedAt: now, reason: "runner lost" });
  const why = outcome === "failed" && reason !== undefined ? `\nJob failed: ${reason}` : "";
  appendLine(build, job, `Runner lost while the failed machine stayed${why}`);
  endJob(build, job, { outcome, text: "", exitCode, reason }, now);
}

export function isEndedBy(build: BuildModel, verdict: Verdict): boolean {
  if (build.jobs[verdict.index]!.status !== "running") return false;
  const copy = structuredClone(build);
  endAsRecorded(copy, verdict, 0);
  return isFinal(copy.status);
}

/** Takes a build back from a runner that was silent for too long. */
export function loseRunner(build: BuildModel, now: number, maxReturns: number): void {
  const { verdict } = build;
  if (build.killRequested) {
    settle(build);
    appendLine(build, undefined, `Build killed by ${build.killedBy}`);
    endBuild(build, "killed", now, `killed by ${build.killedBy}`);
  } else if (verdict?.epoch === build.epoch && build.jobs[verdict.index]!.status === "running") {
    endAsRecorded(build, verdict, now);
  } else if (build.returns === maxReturns) {
    settle(build);
    appendLine(build, undefined, "Runner lost, no attempts left");
    endBuild(build, "failed", now, "runner lost");
  } else requeue(build, maxReturns);
}

/** Resets a build and queues it again. It keeps its output. */
function requeue(build: BuildModel, mostReturns: number): void {
  settle(build);
  build.returns++;
  appendLine(build, undefined, `Runner lost, build queued again (${build.returns} of ${mostReturns})`);
  build.status = "queued";
  build.startedAt = undefined;
  build.tags.add("orphaned");
  for (const name of build.artifacts.keys()) build.artifacts.set(name, undefined);
  const none = { startedAt: undefined, finishedAt: undefined, exitCode: undefined, reason: undefined };
  for (const job of build.jobs) Object.assign(job, { status: "queued", ...none });
}

/** Returns the user's queued build that was submitted first. */
export const nextOf = (builds: readonly BuildModel[], userId: number) =>
  builds.filter((build) => build.userId === userId && build.status === "queued").sort((a, b) => a.id - b.id)[0];
