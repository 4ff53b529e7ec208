import { durationText } from "@ci/kit/process/setting-types";
import { traced, untraced } from "@ci/kit/process/trace";
import type {
  AssignedJob,
  Assignment,
  FinishJobRequest_Outcome as Outcome,
  Source,
  TestCounts,
} from "@ci/proto/builds/v1/queue";
import type { Context } from "./context.js";
import type { Driver, Environment, Order } from "./driver.js";
import { loginVariable } from "./drivers/registry/logins.js";
import { masked } from "./output/mask.js";
import { jobOutput, type Output, type Piece } from "./output/output.js";
import { type Secrets, secretsOf } from "./output/secrets.js";
import { collectArtifacts } from "./steps/artifacts.js";
import { runAttempts } from "./steps/attempts.js";
import { type BuildCaches, cachesOf } from "./steps/caches.js";
import { canFetch, cloneWithoutGit } from "./steps/clone.js";
import { inspectFailed } from "./steps/inspection.js";
import { placeKeys } from "./steps/keys.js";
import { placeObjects } from "./steps/objects.js";
import { collectReports } from "./steps/reports.js";
import { scriptOf } from "./steps/script.js";
import { sendServiceOutput } from "./steps/service-output.js";
import { Ended, withTimeout } from "./work/ended.js";
import { isConflict, isRunnerFault, reasonOf } from "./work/errors.js";
import { exitLine, jobTimeoutLine, notFound, reasonIn } from "./work/last-line.js";
import type { Lease } from "./work/lease.js";
import { retry } from "./work/retry.js";

interface Run {
  readonly ctx: Context;
  readonly build: Assignment;
  readonly order: Order;
  readonly environment: Environment;
  /** Aborts when the run is killed, timed out or lost. */
  readonly signal: AbortSignal;
  readonly lease: Lease;
  readonly secrets: Secrets;
  readonly caches: BuildCaches;
}

interface Result {
  readonly outcome: Outcome;
  /** The last line of the output. */
  readonly why?: string;
  readonly exitCode?: number;
  readonly placedObjectIds?: readonly number[];
  readonly tests?: TestCounts | undefined;
}

/**
 * Runs a claimed build, one job after another, until the queue says that the build is over. Calls `onOver` before the
 * environment is removed. A job starts while the previous one is still being reported; its output waits for that
 * report. Throws if this machine cannot continue; the build then has to be given back.
 */
export async function runBuild(
  ctx: Context,
  driver: Driver,
  build: Assignment,
  { lease, onOver }: { lease: Lease; onOver: () => void },
): Promise<void> {
  const order = orderOf(build);
  using time = withTimeout(build.buildTimeoutMs, lease.ended, timeoutLine(build));
  await using environment = driver.environment(order);
  const secrets = await secretsOf(build);
  const { queue, copies, log } = ctx;
  const caches = cachesOf({ build, environment, queue, mark: order.mark, copies, log });
  const run: Run = { ctx, build, order, environment, signal: time.signal, lease, secrets, caches };
  let allPassed = true;
  let offset = build.outputBytes;
  let reported: Promise<unknown> = Promise.resolve();
  for (const [index, job] of build.jobs.entries()) {
    const send = sender(run, job, reported);
    const output = jobOutput({ offset, limitBytes: build.outputLimitBytes, secrets, send });
    const result = await resultOf(run, () =>
      traced("job", { attributes: { "ci.job": job.id, "ci.job.name": job.name, "ci.job.stage": job.stage } }, () =>
        index === 0 ? prepare(run, output) : runJob(run, job, output),
      ).then((passed) => withCaches(run, index, allPassed, output, passed)),
    );
    allPassed &&= "outcome" in result && result.outcome === "passed";
    let rest = await output.finish("broken" in result ? brokenLine(result.broken) : result.why);
    if ("broken" in result) {
      if (rest.text !== "") await send(rest).catch(() => undefined);
      throw result.broken;
    }
    const isLast = index + 1 === build.jobs.length || (result.outcome !== "passed" && !job.mayFail);
    if (isLast && build.services.length > 0)
      rest = await sendServiceOutput(rest, {
        ...{ build, environment, secrets, lost: lease.lost, log: ctx.log },
        senderOf: (of) => sender(run, of, reported),
        job,
      });
    const reporting = reported.then(() => report(run, job, { ...result, ...rest }));
    offset = rest.offset + Buffer.byteLength(rest.text);
    reported = reporting;
    const continues = result.outcome === "passed" && index + 1 < build.jobs.length;
    // Killed in between: the job that was started ahead belongs to nobody.
    reporting.then(({ final }) => continues && final && lease.lose(), lease.lose);
    if (!continues && (await reporting).final) return onOver();
  }
}

const jobOf = ({ id, name, stage, variables, ...job }: AssignedJob, facts: Order["variables"]) => ({
  id,
  script: scriptOf(job),
  facts: [...facts, { key: "CI_JOB", value: name }, { key: "CI_STAGE", value: stage }],
  variables,
});

const orderOf = ({ installation, buildId, epoch, driver, jobs, facts, caches, ...build }: Assignment): Order => ({
  mark: { installation, buildId, epoch },
  image: driver?.image ?? "",
  imageTicket: build.imageTicket,
  workspace: driver?.workspace ?? "",
  pullAlways: driver?.pullAlways ?? false,
  variables: build.variables.filter(({ key }) => key !== loginVariable),
  logins: build.variables.find(({ key }) => key === loginVariable)?.value,
  services: build.services,
  jobs: jobs.slice(1).flatMap((job) => (job.service === undefined ? jobOf(job, facts) : [])),
  cachePaths: caches.flatMap(({ paths }) => paths),
});

/** Returns the function that sends a job's output. It waits until the queue knows that the job is running. */
const sender =
  ({ ctx, order, lease: { lost, lose } }: Run, { id: jobId }: AssignedJob, started: Promise<unknown>) =>
  async (piece: Piece): Promise<void> => {
    const ask = { ...order.mark, jobId, ...piece };
    try {
      await started;
      // A job may print ten times a second for hours: no spans for that.
      await untraced(() => retry(lost, () => ctx.queue.appendOutput(ask, { signal: lost })));
    } catch (error) {
      // A job that prints nothing more would not notice the loss.
      lose();
      throw error;
    }
  };

const timeoutLine = ({ buildTimeoutMs }: Assignment) =>
  `Build timed out after ${durationText(buildTimeoutMs)}; make it shorter or raise BUILD_TIMEOUT`;
const prepareTimeoutLine = ({ prepareTimeoutMs }: Assignment) =>
  `Preparing the environment timed out after ${durationText(prepareTimeoutMs)}; raise PREPARE_TIMEOUT if it needs longer`;
const brokenLine = (error: unknown) => `This runner cannot go on: ${reasonOf(error)}`;

/** Returns the result of a step, or `broken` if this machine failed. */
async function resultOf(
  { ctx, lease }: Run,
  step: () => Promise<Result>,
): Promise<Result | { readonly broken: unknown }> {
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
    return isRunnerFault(error) ? { broken: error } : { outcome: "failed", why: reasonOf(error) };
  }
}

/** Runs the first job: makes the environment and places the build's objects and keys. */
async function prepare({ ctx, build, order, environment, signal: run }: Run, output: Output): Promise<Result> {
  using time = withTimeout(build.prepareTimeoutMs, run, prepareTimeoutLine(build));
  const { signal } = time;
  const on = { environment, queue: ctx.queue, mark: order.mark, say: output.line, signal };
  await traced("prepare driver", {}, () => environment.prepare(output.line, signal));
  const placedObjectIds = await placeObjects(build.objects, on);
  await placeKeys(build.keys, on);
  if (build.jobs.slice(1).every(({ source, service }) => source ?? service))
    output.line("The manifest has no jobs: nothing was run");
  return { outcome: "passed", placedObjectIds };
}

/** A signal that never aborts. */
const never = new AbortController().signal;

async function runJob(run: Run, job: AssignedJob, output: Output): Promise<Result> {
  const { ctx, build, order, environment, lease, secrets, signal } = run;
  if (job.service !== undefined) {
    output.line(`Service ${job.service} is ready; what it prints follows when the build ends`);
    return { outcome: "passed" };
  }
  const ordered = order.jobs.find(({ id }) => id === job.id)!;
  const runOnce = (attempt: number, stop: AbortSignal) =>
    traced("run script", {}, async (script) => {
      const code = await environment.run({ ...ordered, attempt, stop }, output.write, signal);
      script.note({ "process.exit.code": code });
      return code === notFound && job.source && canFetch(job.source) ? fetched(run, job.source, output) : code;
    });
  const { exitCode, stopped } = await runAttempts(job, { run: runOnce, say: output.line, stop: never });
  if (stopped) return { outcome: job.mayFail ? "failed" : "timed_out", why: jobTimeoutLine(job.timeoutMs!) };
  const why = exitCode === 0 ? undefined : await whyFailed(run, job, exitCode);
  const collecting = {
    queue: ctx.queue,
    mark: order.mark,
    limitBytes: build.artifactLimitBytes,
    hide: (text: string) => masked(secrets, text),
    say: output.line,
  };
  await collectArtifacts(job.artifacts, { ...collecting, environment, signal });
  const tests = await collectReports(job.junitReports, { ...collecting, jobId: job.id, environment, signal });
  if (exitCode === 0) return { outcome: "passed", exitCode, tests };
  // Inspection does not count against the build's time: only a kill or the loss of the build ends it.
  if (!job.mayFail) await inspectFailed(build, environment, { ...collecting, signal: lease.ended });
  return { outcome: "failed", why, exitCode, tests };
}

/** Fetches a source for an environment without git. Returns the exit code of the job. */
async function fetched({ ctx, environment, signal }: Run, source: Source, output: Output): Promise<number> {
  const { agent, config } = ctx;
  const { line: say, write: onOutput } = output;
  await cloneWithoutGit(source, { agent, environment, limitBytes: config.cloneBytes, say, onOutput, signal });
  return 0;
}

/** Restores caches after the last job of the setup, and stores them after the last job of a build that passes. */
async function withCaches(
  { build, caches, signal }: Run,
  index: number,
  allPassed: boolean,
  output: Output,
  result: Result,
): Promise<Result> {
  if (result.outcome !== "passed" || build.caches.length === 0) return result;
  const isSetup = index === 0 || build.jobs[index]!.source !== undefined;
  const next = build.jobs[index + 1];
  if (isSetup && next && !next.source) await caches.restore(output.line, signal);
  if (!next && !isSetup && allPassed) await caches.store(output.line, signal);
  return result;
}

const whyFailed = async ({ build, environment, signal }: Run, job: AssignedJob, exitCode: number): Promise<string> =>
  (await environment.explain?.(exitCode, signal)) ?? exitLine(exitCode, job, build.driver!.type);

/** Finishes the job in the queue, which starts the next job or ends the build. */
const report = (
  { ctx, order: { mark }, lease: { lost }, secrets }: Run,
  { id: jobId }: AssignedJob,
  { why, ...how }: Result & { offset: number; text: string },
) => {
  const reason = why && masked(secrets, reasonIn(why));
  const ask = { ...mark, jobId, placedObjectIds: [], ...how, reason };
  return retry(lost, () => ctx.queue.finishJob(ask, { signal: lost }));
};
