import { traced } from "@ci/kit/process/trace";
import { anonymous, runAs } from "@ci/kit/rpc/caller";
import type { Context } from "../../context.js";
import { notReported } from "../../domain/hooks/reasons.js";
import type { BuiltDelivery, HookDelivery, StepResult } from "../../store/hooks/hook-deliveries.js";
import type { RepositoryDoc } from "../../store/repositories.js";
import { ownTask } from "../own-task.js";
import { buildCommit } from "./build-commit.js";
import { Unreadable } from "./read-commit.js";
import { isBusy } from "./reading-turns.js";
import { removeHookSoon } from "./remove-repository.js";
import { currentVerdict, reportStatus } from "./report-status.js";

const busyPauseMs = 5_000;

const tracedStep = (ctx: Context, repository: RepositoryDoc, delivery: BuiltDelivery): Promise<Partial<StepResult>> =>
  runAs(anonymous(), () => {
    const attributes = { "ci.repository": repository._id, "ci.delivery": delivery._id };
    return traced("advance delivery", { begin: true, attributes }, () => step(ctx, repository, delivery));
  });

/** Runs one step. The first one submits the builds; each later one reports their outcome. */
async function step(ctx: Context, repository: RepositoryDoc, delivery: BuiltDelivery): Promise<Partial<StepResult>> {
  if (delivery.sha !== undefined) return { ...(await reportStatus(ctx, repository, delivery)), failures: 0 };
  const built = await buildCommit(ctx, repository, delivery);
  return { ...built, failures: 0, dueInMs: repository.hasAccessToken && !built.silent ? 0 : "never" };
}

/** Returns a reason for users, which reveals nothing about our services. */
const reasonOf = (error: unknown): string =>
  error instanceof Unreadable ? error.message : "the service could not process it; redeliver it later";

/** Schedules another attempt after a failed step. After the last attempt the step counts as done. */
async function afterFailure(
  ctx: Context,
  repository: RepositoryDoc,
  delivery: BuiltDelivery,
  error: unknown,
): Promise<Partial<StepResult>> {
  const failures = delivery.failures + 1;
  const pauseMs = ctx.config.hookPausesMs[delivery.failures];
  const reasons = delivery.sha === undefined ? { reasons: [reasonOf(error)] } : {};
  if (pauseMs !== undefined) return { failures, dueInMs: pauseMs, ...reasons };
  ctx.log.warn({ repository: repository._id, delivery: delivery._id }, "gave up on a hook delivery");
  const dueInMs = repository.hasAccessToken ? 0 : "never";
  if (delivery.sha === undefined) return { failures: 0, sha: delivery.change.sha, wrong: true, dueInMs, ...reasons };
  const verdict = (await currentVerdict(ctx, delivery))?.verdict;
  // The final status can still be reported even if the pending one was not.
  if (verdict === "pending") return { failures: 0, reported: verdict, dueInMs };
  return { dueInMs: "never", reasons: [...(delivery.reasons ?? []), notReported] };
}

const isBuilt = (delivery: HookDelivery): delivery is BuiltDelivery => delivery.change !== undefined;

/** Runs the next step of a claimed delivery and releases it. Never throws: a failed step is retried later. */
export const advance = (ctx: Context, held: HookDelivery): Promise<void> => ownTask(ctx, advanceHeld(ctx, held));

/** Like `advance`, and lets the loop continue with the step after it. */
export const advanceFirst = (ctx: Context, held: HookDelivery): Promise<void> =>
  advance(ctx, held).then(ctx.wakeDeliveries);

const advanceHeld = (ctx: Context, held: HookDelivery): Promise<void> =>
  whileHeld(ctx, held, async () => {
    const { hookDeliveries: deliveries, log } = ctx;
    const repository = await ctx.repositories.byId(held.repositoryId);
    if (!repository) return void (await deliveries.remove(held._id));
    if (!held.dueAt) return log.warn({ delivery: held._id }, "gave up on the status of a hook delivery");
    if (!isBuilt(held)) return void (await deliveries.release(held, { dueInMs: "never" }));
    if (held.sha === undefined) await runInTurn(ctx, repository, held);
    else await run(ctx, repository, held);
  });

async function whileHeld(ctx: Context, held: HookDelivery, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (err) {
    if (ctx.signal.aborted) await ctx.hookDeliveries.giveBack(held).catch(() => undefined);
    else ctx.log.warn({ err, delivery: held._id }, "hook delivery not processed; the next pass will retry it");
  }
}

/** Begins a new lease when the user's turn comes. If it does not come in time, the delivery is due later. */
async function runInTurn(ctx: Context, repository: RepositoryDoc, held: BuiltDelivery): Promise<void> {
  const { hookDeliveries: deliveries, signal } = ctx;
  const { hookLeaseMs } = ctx.config;
  const over = AbortSignal.any([signal, AbortSignal.timeout(Math.ceil(hookLeaseMs / 2))]);
  const inTurn = async () => {
    const renewed = await deliveries.renew(held, hookLeaseMs);
    if (renewed) await whileHeld(ctx, renewed, () => run(ctx, repository, renewed));
  };
  try {
    await ctx.inReadingTurn(repository.userId, inTurn, over);
  } catch (error) {
    if (signal.aborted || !isBusy(error)) throw error;
    await deliveries.release(held, { dueInMs: busyPauseMs });
  }
}

/** Corrects a status that may have reached the provider after another process reported a newer one. */
async function afterLostLease(
  ctx: Context,
  repository: RepositoryDoc,
  held: BuiltDelivery,
  { reported }: Partial<StepResult>,
): Promise<void> {
  if (held.sha === undefined || reported === undefined) return;
  if (await ctx.repositories.byId(held.repositoryId)) {
    if ((await currentVerdict(ctx, held))?.verdict !== reported) await ctx.hookDeliveries.reportAgain(held._id);
  } else if (reported === "pending") await removeHookSoon(ctx, repository, [held.sha]);
}

async function run(ctx: Context, repository: RepositoryDoc, held: BuiltDelivery): Promise<void> {
  const { hookDeliveries: deliveries, log } = ctx;
  const done = await tracedStep(ctx, repository, held).catch((err) => {
    if (ctx.signal.aborted) throw err;
    if (isBusy(err)) return { dueInMs: busyPauseMs };
    log.warn({ err, repository: repository._id, delivery: held._id }, "hook delivery failed; retrying");
    return afterFailure(ctx, repository, held, err);
  });
  if (!(await deliveries.release(held, done))) return afterLostLease(ctx, repository, held, done);
  // A build may have ended between the report and the release.
  if (done.reported === "pending" && (await currentVerdict(ctx, { ...held, ...done }))?.verdict !== "pending")
    await deliveries.makeDue([held._id]);
}

export async function reportSoon(ctx: Context, deliveryIds: readonly string[]): Promise<void> {
  await ctx.hookDeliveries.makeDue([...new Set(deliveryIds)]);
  ctx.wakeDeliveries();
}
