/**
 * What the contract (8.1 to 8.5) says about a build, written down a second time and on purpose without a look at
 * domain/: the tests drive the service and this in step and compare. It knows nothing but what a caller can see.
 */

export type Status = "queued" | "running" | "passed" | "passed_with_failures" | "failed" | "killed" | "timed_out";
export type Outcome = "passed" | "failed" | "killed" | "timed_out";

export interface JobModel {
  status: Status;
  readonly mayFail: boolean;
  startedAt?: number;
  finishedAt?: number;
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
  text: string;
  /** Size of each artifact that is collected, by its name. */
  artifacts: Map<string, number | undefined>;
  epoch: number;
  leaseUntil: number;
  returns: number;
  killWanted: boolean;
  killedBy?: string;
  /** Kinds, in order. */
  events: string[];
}

const order: Status[] = ["queued", "running", "passed", "passed_with_failures", "failed", "killed", "timed_out"];
export const over = (status: Status) => order.indexOf(status) > 1;
const worse = (a: Status, b: Status) => (order.indexOf(a) > order.indexOf(b) ? a : b);

export function submitted(
  of: Pick<BuildModel, "userId" | "id" | "number" | "comment">,
  mayFail: readonly boolean[],
  tags: Iterable<string>,
  artifacts: readonly string[],
): BuildModel {
  return {
    ...of,
    jobs: mayFail.map((may) => ({ status: "queued", mayFail: may, text: "" })),
    status: "queued",
    tags: new Set(tags),
    pinned: false,
    text: "",
    artifacts: new Map(artifacts.map((name) => [name, undefined])),
    epoch: 0,
    leaseUntil: 0,
    returns: 0,
    killWanted: false,
    events: ["build.submitted"],
  };
}

export const runningJob = (build: BuildModel) => build.jobs.findIndex((job) => job.status === "running");

export function claimed(build: BuildModel, now: number, leaseMs: number): void {
  build.status = "running";
  build.startedAt = now;
  build.epoch++;
  build.leaseUntil = now + leaseMs;
  Object.assign(build.jobs[0]!, { status: "running", startedAt: now });
  build.events.push("build.started");
}

/** Whether a runner that holds this epoch may still write. */
export const mayWrite = (build: BuildModel, epoch: number) => build.status === "running" && build.epoch === epoch;

export function said(build: BuildModel, job: number | undefined, text: string): void {
  build.text += text;
  if (job !== undefined) build.jobs[job]!.text += text;
}

function ended(build: BuildModel, status: Status, now: number): void {
  build.status = status;
  build.finishedAt = now;
  build.killWanted = false;
  build.killedBy = undefined;
  for (const job of build.jobs) if (!over(job.status)) Object.assign(job, { status, finishedAt: now });
  build.events.push("build.finished");
}

/** The running job ends with these last words. */
export function jobEnded(build: BuildModel, outcome: Outcome, text: string, now: number): void {
  const index = runningJob(build);
  const job = build.jobs[index]!;
  said(build, index, text);
  job.finishedAt = now;
  if (build.killWanted) job.status = "killed";
  else job.status = outcome === "failed" && job.mayFail ? "passed_with_failures" : outcome;
  const next = build.jobs[index + 1];
  const goesOn = job.status === "passed" || job.status === "passed_with_failures";
  if (goesOn && next) Object.assign(next, { status: "running", startedAt: now });
  else
    ended(
      build,
      build.jobs.slice(0, index + 1).reduce<Status>((all, one) => worse(all, one.status), "passed"),
      now,
    );
}

export function killed(build: BuildModel, now: number, by: string): void {
  if (build.status === "queued") ended(build, "killed", now);
  else if (build.status === "running" && !build.killWanted) {
    build.killWanted = true;
    build.killedBy = by;
  }
}

/** Its runner was silent for too long. */
export function lost(build: BuildModel, now: number, mostReturns: number): void {
  if (build.killWanted) {
    said(build, undefined, `Build killed by ${build.killedBy}\n`);
    ended(build, "killed", now);
  } else if (build.returns === mostReturns) {
    said(build, undefined, "Runner lost, no attempts left\n");
    ended(build, "failed", now);
  } else returned(build, mostReturns);
}

/** Back to the queue, as if it had never run but for its text. */
function returned(build: BuildModel, mostReturns: number): void {
  build.returns++;
  said(build, undefined, `Runner lost, build queued again (${build.returns} of ${mostReturns})\n`);
  build.status = "queued";
  build.startedAt = undefined;
  build.tags.add("orphaned");
  for (const name of build.artifacts.keys()) build.artifacts.set(name, undefined);
  for (const job of build.jobs) Object.assign(job, { status: "queued", startedAt: undefined, finishedAt: undefined });
}

/** Who is next: within a user the one that was submitted first. */
export const nextOf = (builds: readonly BuildModel[], userId: number) =>
  builds.filter((build) => build.userId === userId && build.status === "queued").sort((a, b) => a.id - b.id)[0];
