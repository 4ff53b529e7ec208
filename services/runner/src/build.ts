import { traced } from "@ci/kit/process/trace";
import { nextJobs } from "@ci/manifest/next-jobs";
import type { AssignedJob, Assignment, FinishJobRequest_Outcome as Outcome, Source } from "@ci/proto/builds/v1/queue";
import type { BuildContext } from "./context.js";
import type { Driver, Environment, Order } from "./driver.js";
import { type BuildTime, buildTime, never, prepareTime } from "./endings/build-time.js";
import { Ended } from "./endings/ended.js";
import { isConflict, mayPass, reasonOf } from "./endings/errors.js";
import { exitLine, jobTimeoutLine, notFound } from "./endings/last-line.js";
import { jobOutput, type Output } from "./output/output.js";
import { type Secrets, secretsOf } from "./output/secrets.js";
import { masked, textMask } from "./output/texts.js";
import { collectArtifacts } from "./steps/artifacts.js";
import { runAttempts } from "./steps/attempts.js";
import { type BuildCaches, cachesOf } from "./steps/caches.js";
import { canFetch, checkFolder, cloneWithoutGit } from "./steps/clone.js";
import { inspectFailed } from "./steps/inspection.js";
import { filesOf } from "./steps/job-files.js";
import { collectReports } from "./steps/junit-reports.js";
import { placeKeys } from "./steps/keys.js";
import { placeObjects } from "./steps/objects.js";
import { sendServiceOutput } from "./steps/service-output.js";
import { isSetup, sayIfNothingRuns } from "./steps/setup.js";
import { sideBySide } from "./steps/side-by-side.js";
import { type HeldReport, holdReport } from "./work/held-report.js";
import type { Lease } from "./work/lease.js";
import { orderOf } from "./work/order.js";
import { type Result, reportsOf } from "./work/reports.js";

interface Run extends BuildTime {
  readonly ctx: BuildContext;
  readonly build: Assignment;
  readonly order: Order;
  readonly environment: Environment;
  readonly progress: Progress;
  readonly lease: Lease;
  readonly secrets: Secrets;
  readonly caches: BuildCaches;
}

/** What is known so far about the jobs of a build. */
interface Progress {
  failed: boolean;
  /** A script has failed the build, so its environment may be kept. */
  scriptFailed: boolean;
  /** No job has failed so far, not even one that may. */
  allPassed: boolean;
  /** The size of each job's own output, by the job's id. */
  readonly outputBytes: Map<number, number>;
  /** Jobs of the stage that have not run to their end: they run or wait for their turn. */
  unfinished: number;
}

/**
 * Runs a claimed build, one job or parallel stage after another, until the queue says that the build is over. Calls
 * `onOver` before the environment is removed. A job starts while the previous one is still being reported; its output
 * waits for that report. Throws if this machine cannot continue; the build then has to be given back.
 */
export async function runBuild(
  ctx: BuildContext,
  driver: Driver,
  build: Assignment,
  { lease, onOver }: { lease: Lease; onOver: () => void },
): Promise<void> {
  const order = { ...orderOf(build), lost: lease.lost };
  using time = buildTime(build, lease.ended);
  await using environment = driver.environment(order);
  const secrets = await secretsOf(build);
  const { queue, copies, log } = ctx;
  const caches = cachesOf({ build, environment, queue, mark: order.mark, copies, stop: time.stop, log });
  const outputBytes = new Map(build.jobs.map((job) => [job.id, job.outputBytes]));
  const progress: Progress = { failed: false, scriptFailed: false, allPassed: true, outputBytes, unfinished: 0 };
  const run: Run = { ctx, build, order, environment, ...time, lease, secrets, caches, progress };
  let offset = build.outputBytes;
  let before: Pick<JobStart, "started" | "held"> = { started: async () => undefined };
  for (let next = [0]; next.length > 0; ) {
    const jobs = next.map((index) => ({ ...before, index, offset, beside: next.length > 1 }));
    progress.unfinished = jobs.length;
    const ended = await sideBySide(jobs, run.signal, (job, signal) => runReported({ ...run, signal }, job));
    const reporting = Promise.all(ended.map((job) => job.reporting));
    const [{ held } = {}] = ended;
    before = held ? { started: held.send, held } : { started: () => reporting };
    offset += ended.reduce((sum, { bytes }) => sum + bytes, 0);
    const isKilled = ended.some(({ outcome }) => outcome === "killed");
    next = isKilled ? [] : nextJobs(build.jobs, next.at(-1)!, progress.failed);
    const isFinal = reporting.then((responses) => responses.some(({ final }) => final));
    const continues = next.length > 0 && ended.every(({ outcome }) => outcome === "passed");
    // Killed in between: the job that was started ahead belongs to nobody.
    isFinal.then((final) => continues && final && lease.lose(), lease.lose);
    if (!continues && (await isFinal)) return onOver();
  }
}

interface JobStart {
  readonly index: number;
  /** Resolves when the queue knows that the job is running. */
  readonly started: () => Promise<unknown>;
  /** The end of the previous job, if it waits to travel with that of this one. */
  readonly held?: HeldReport | undefined;
  /** Where the job's output begins in the build's output. */
  readonly offset: number;
  /** Other jobs run at the same time: the output counts by itself. */
  readonly beside: boolean;
}

/** Runs a job and begins to report its end. */
async function runReported(run: Run, { index, started, held, offset, beside }: JobStart) {
  const { ctx, build, secrets, progress } = run;
  const job = build.jobs[index]!;
  const reports = reportsIn(run, { jobId: job.id, started, held, beside });
  const start = beside ? job.outputBytes : offset;
  const { holdMs, flushAfterMs } = ctx.times ?? {};
  const { outputLimitBytes: limitBytes } = build;
  const output = jobOutput({ offset: start, limitBytes, secrets, send: reports.send, flushAfterMs });
  const attributes = { "ci.job": job.id, "ci.job.name": job.name, "ci.job.stage": job.stage };
  const ran = await resultOf(run, () =>
    traced("job", { attributes }, () => (index === 0 ? prepare(run, output) : runJob(run, index, output))),
  );
  note(progress, job, ran);
  const isLastHere = --progress.unfinished === 0;
  const concludes = isLastHere && !("broken" in ran);
  const result = concludes ? await resultOf(run, () => conclude(run, index, { output, reports }, ran)) : ran;
  note(progress, job, result);
  let rest = await output.finish("broken" in result ? brokenLine(result.broken) : result.why);
  if ("broken" in result) {
    if (rest.text !== "") await reports.send(rest).catch(() => undefined);
    throw result.broken;
  }
  const bytes = rest.offset + Buffer.byteLength(rest.text) - start;
  progress.outputBytes.set(job.id, job.outputBytes + bytes);
  const isEnd = result.outcome === "killed" || nextJobs(build.jobs, index, progress.failed).length === 0;
  if (isEnd && isLastHere && build.services.length > 0) {
    if (rest.text !== "") await reports.send(rest);
    rest = { offset: rest.offset + Buffer.byteLength(rest.text), text: "" };
    await sendServices(run, started, result.outcome === "killed");
  }
  const finish = () => reports.finish({ ...result, ...rest });
  const waits = result.outcome === "passed" && mayWait(build, index);
  const { placedObjectIds = [] } = result;
  const holding = waits ? holdReport({ jobId: job.id, placedObjectIds, ...rest }, finish, holdMs) : undefined;
  const reporting = holding?.sent ?? finish();
  // The caller waits for it once all jobs of the stage have ended.
  reporting.catch(() => undefined);
  return { outcome: result.outcome, bytes, reporting, held: holding };
}

/** Reports whether the end of this job may wait for that of the next: only the first job's may, and only if one follows. */
function mayWait({ takesPrepared, jobs, services }: Assignment, index: number): boolean {
  if (!takesPrepared || index !== 0 || services.length > 0) return false;
  return nextJobs(jobs, index, false).length === 1;
}

const reportsIn = ({ ctx, order, lease, secrets }: Run, job: Omit<JobStart, "index" | "offset"> & { jobId: number }) =>
  reportsOf({ queue: ctx.queue, mark: order.mark, lease, secrets, ...job });

/** Sends what the services have printed, before the last report ends the build. */
function sendServices(run: Run, started: JobStart["started"], isKilled: boolean): Promise<void> {
  const { build, environment, secrets } = run;
  const { log } = run.ctx;
  const { lost } = run.lease;
  const { outputBytes } = run.progress;
  const senderOf = ({ id: jobId }: AssignedJob) => reportsIn(run, { jobId, started, beside: true }).send;
  return sendServiceOutput({ isKilled, build, environment, secrets, lost, log, outputBytes, senderOf });
}

const failsBuild = (outcome: Outcome, { mayFail }: AssignedJob): boolean =>
  outcome === "timed_out" || (outcome === "failed" && !mayFail);

function note(progress: Progress, job: AssignedJob, result: Result | Broken): void {
  if ("outcome" in result) progress.failed ||= failsBuild(result.outcome, job);
  progress.allPassed &&= "outcome" in result && result.outcome === "passed";
}

const brokenLine = (error: unknown) => `This runner cannot go on: ${reasonOf(error)}`;

interface Broken {
  readonly broken: unknown;
}

/** Returns the result of a step, or `broken` if this machine failed. */
async function resultOf({ ctx, lease }: Run, step: () => Promise<Result>): Promise<Result | Broken> {
  try {
    return await step();
  } catch (error) {
    if (isConflict(error)) lease.lose();
    lease.lost.throwIfAborted();
    if (error instanceof Ended && error.ending !== "lost") {
      const { ending: outcome, why = outcome === "killed" ? "Build killed" : "Build timed out" } = error;
      return { outcome, why };
    }
    ctx.log.warn({ err: error }, "step failed");
    return mayPass(error) ? { broken: error } : { outcome: "failed", why: reasonOf(error) };
  }
}

/** Runs the first job: makes the environment and places the build's objects and keys. */
async function prepare({ ctx, build, order, environment, ...during }: Run, output: Output): Promise<Result> {
  using time = prepareTime(build, during);
  const on = { environment, queue: ctx.queue, mark: order.mark, say: output.line, signal: time.signal };
  await traced("prepare driver", {}, () => environment.prepare(output.line, time.signal));
  const placedObjectIds = await placeObjects(build.objects, on);
  await placeKeys(build.keys, on);
  return { outcome: "passed", placedObjectIds };
}

async function runJob(run: Run, index: number, output: Output): Promise<Result> {
  const { build, order, environment, secrets, signal, progress } = run;
  const job = build.jobs[index]!;
  if (job.service !== undefined) {
    output.line(`Service ${job.service} is ready; what it prints follows when the build ends`);
    return { outcome: "passed" };
  }
  if (job.source) checkFolder(job.source);
  const ordered = order.jobs.find(({ id }) => id === job.id)!;
  const runOnce = (attempt: number, stop: AbortSignal) =>
    traced("run script", {}, async (script) => {
      const code = await environment.run({ ...ordered, attempt, stop }, output.write, signal);
      script.note({ "process.exit.code": code });
      return code === notFound && job.source && canFetch(job.source) ? fetched(run, job.source, output, stop) : code;
    });
  // After a failure, jobs have more time than the build.
  const stop = progress.failed ? never : run.stop;
  const { exitCode, stopped } = await runAttempts(job, { run: runOnce, say: output.line, stop });
  if (stopped) {
    signal.throwIfAborted();
    return timedOut(job, stopped);
  }
  const explain = async () => environment.explain?.(exitCode, signal, ordered);
  const why = exitCode === 0 ? undefined : ((await explain()) ?? exitLine(exitCode, job, build.driver!.type));
  const hasFailed = exitCode !== 0 && !job.mayFail;
  const during = hasFailed ? signal : AbortSignal.any([signal, stop]);
  const files = {
    ...collecting(run, output),
    environment: filesOf(environment, ordered, { signal, during }),
    signal: during,
  };
  await collectArtifacts(job.artifacts, files);
  const tests = await collectReports(job.junitReports, { ...files, jobId: job.id, hideIn: textMask(secrets) });
  if (hasFailed) progress.scriptFailed = true;
  return { outcome: exitCode === 0 ? "passed" : "failed", why, exitCode, tests };
}

const collecting = ({ ctx, build, order, secrets }: Run, output: Output) => ({
  queue: ctx.queue,
  mark: order.mark,
  limitBytes: build.artifactLimitBytes,
  hide: (text: string) => masked(secrets, text),
  say: output.line,
});

/** Fetches a source for an environment without git. Returns the exit code of the job. */
async function fetched(run: Run, source: Source, output: Output, stop: AbortSignal): Promise<number> {
  const { environment, signal } = run;
  const { agent, config } = run.ctx;
  const { line: say, write: onOutput } = output;
  const on = { agent, environment, limitBytes: config.cloneBytes, say, onOutput, signal, stop };
  await cloneWithoutGit(source, on);
  return 0;
}

interface Told {
  readonly output: Output;
  readonly reports: ReturnType<typeof reportsOf>;
}

/** Runs once for each stage: restores caches after the setup; at the end, stores them or keeps the failed environment. */
async function conclude(run: Run, index: number, { output, reports }: Told, result: Result): Promise<Result> {
  const { build, caches, environment, lease, signal, progress } = run;
  const { draining } = run.ctx;
  const isPassed = result.outcome === "passed";
  if (isPassed) sayIfNothingRuns(build, index, output.line);
  const [next] = nextJobs(build.jobs, index, progress.failed);
  if (next !== undefined) {
    if (isPassed && isSetup(build, index) && !isSetup(build, next)) await caches.restore(output.line, signal);
    return result;
  }
  if (progress.allPassed && !isSetup(build, index)) await caches.store(output.line, signal);
  // Inspection does not count against the build's time: only a kill or the loss of the build ends it.
  if (progress.scriptFailed && result.exitCode !== undefined) {
    const recordVerdict = () => reports.recordVerdict(result);
    await inspectFailed(build, environment, {
      ...collecting(run, output),
      signal: lease.ended,
      draining,
      recordVerdict,
    });
  }
  return result;
}

/** The build's own timeout ends it in any stage; that of a job counts as a failure. */
function timedOut({ mayFail, timeoutMs }: AssignedJob, { why }: Ended): Result {
  if (why !== undefined) return { outcome: "timed_out", why };
  return { outcome: mayFail ? "failed" : "timed_out", why: jobTimeoutLine(timeoutMs!) };
}
