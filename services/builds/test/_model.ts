/**
 * A second implementation of the contract (8.1 to 8.5), independent of domain/. The tests apply each step to the service
 * and to this model and compare the two. The model has only what a caller can see.
 */

export type Status = "queued" | "running" | "passed" | "passed_with_failures" | "failed" | "killed" | "timed_out";
export type Outcome = "passed" | "failed" | "killed" | "timed_out";

export interface JobModel {
  status: Status;
  readonly mayFail: boolean;
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
  text: string;
  /** Sizes by name; undefined while an artifact is not collected. */
  artifacts: Map<string, number | undefined>;
  epoch: number;
  leaseUntil: number;
  returns: number;
  killRequested: boolean;
  killedBy?: string;
  /** Kinds, in order. */
  events: string[];
}

const order: Status[] = ["queued", "running", "passed", "passed_with_failures", "failed", "killed", "timed_out"];
export const isFinal = (status: Status) => order.indexOf(status) > 1;
const worseOf = (a: Status, b: Status) => (order.indexOf(a) > order.indexOf(b) ? a : b);

export function submitBuild(
  identity: Pick<BuildModel, "userId" | "id" | "number" | "comment">,
  mayFail: readonly boolean[],
  tags: Iterable<string>,
  artifacts: readonly string[],
): BuildModel {
  return {
    ...identity,
    jobs: mayFail.map((mayFail) => ({ status: "queued", mayFail, text: "" })),
    status: "queued",
    tags: new Set(tags),
    pinned: false,
    text: "",
    artifacts: new Map(artifacts.map((name) => [name, undefined])),
    epoch: 0,
    leaseUntil: 0,
    returns: 0,
    killRequested: false,
    events: ["build.submitted"],
  };
}

export const runningJob = (build: BuildModel) => build.jobs.findIndex((job) => job.status === "running");

export function claimBuild(build: BuildModel, now: number, leaseMs: number): void {
  build.status = "running";
  build.startedAt = now;
  build.epoch++;
  build.leaseUntil = now + leaseMs;
  Object.assign(build.jobs[0]!, { status: "running", startedAt: now });
  build.events.push("build.started");
}

/** Reports whether a runner with this epoch may still write. */
export const mayWrite = (build: BuildModel, epoch: number) => build.status === "running" && build.epoch === epoch;

export function appendOutput(build: BuildModel, job: number | undefined, text: string): void {
  build.text += text;
  if (job !== undefined) build.jobs[job]!.text += text;
}

const ended: Partial<Record<Status, string>> = {
  failed: "the build had failed",
  killed: "the build was killed",
  timed_out: "the build had timed out",
};

/** `why` is the reason of the build and of its running jobs, if no job has reported one. */
function endBuild(build: BuildModel, status: Status, now: number, why?: string): void {
  build.status = status;
  build.finishedAt = now;
  if (status !== "passed") build.reason = why ?? build.jobs.find((job) => job.status === status)?.reason;
  build.killRequested = false;
  build.killedBy = undefined;
  for (const job of build.jobs) {
    if (isFinal(job.status)) continue;
    const reason = job.status === "running" && why ? why : `not run: ${ended[status]}`;
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

/** Ends the running job. */
export function endJob(build: BuildModel, { outcome, text, exitCode, reason }: End, now: number): void {
  const index = runningJob(build);
  const job = build.jobs[index]!;
  appendOutput(build, index, text);
  Object.assign(job, { finishedAt: now, exitCode });
  if (outcome !== "passed")
    job.reason = reason ?? { failed: undefined, killed: "killed", timed_out: "timed out" }[outcome];
  if (build.killRequested) {
    job.status = "killed";
    job.reason = `killed by ${build.killedBy}`;
    const lineEnd = build.text === "" || build.text.endsWith("\n") ? "" : "\n";
    if (outcome !== "killed") appendOutput(build, index, `${lineEnd}Build killed by ${build.killedBy}\n`);
  } else job.status = outcome === "failed" && job.mayFail ? "passed_with_failures" : outcome;
  const next = build.jobs[index + 1];
  const continues = job.status === "passed" || job.status === "passed_with_failures";
  if (continues && next) Object.assign(next, { status: "running", startedAt: now });
  else
    endBuild(
      build,
      build.jobs.slice(0, index + 1).reduce<Status>((worst, { status }) => worseOf(worst, status), "passed"),
      now,
    );
}

export function killBuild(build: BuildModel, now: number, by: string): void {
  if (build.status === "queued") endBuild(build, "killed", now, `killed by ${by}`);
  else if (build.status === "running" && !build.killRequested) {
    build.killRequested = true;
    build.killedBy = by;
  }
}

/** Takes a build back from a runner that was silent for too long. */
export function loseRunner(build: BuildModel, now: number, maxReturns: number): void {
  if (build.killRequested) {
    appendOutput(build, undefined, `Build killed by ${build.killedBy}\n`);
    endBuild(build, "killed", now, `killed by ${build.killedBy}`);
  } else if (build.returns === maxReturns) {
    appendOutput(build, undefined, "Runner lost, no attempts left\n");
    endBuild(build, "failed", now, "runner lost");
  } else requeue(build, maxReturns);
}

/** Resets a build and queues it again. It keeps its output. */
function requeue(build: BuildModel, mostReturns: number): void {
  build.returns++;
  appendOutput(build, undefined, `Runner lost, build queued again (${build.returns} of ${mostReturns})\n`);
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
