import { traced } from "@ci/kit/process/trace";
import { anonymous, runAs } from "@ci/kit/rpc/caller";
import type { Context } from "../context.js";
import type { Done, HookDelivery } from "../store/hook-deliveries.js";
import type { RepositoryDoc } from "../store/repositories.js";
import { buildCommit } from "./build-commit.js";
import { reportStatus, verdictNow } from "./report-status.js";

/** A step that nobody is waiting for: a request of its own. */
const stepApart = (ctx: Context, repository: RepositoryDoc, delivery: HookDelivery): Promise<Partial<Done>> =>
  runAs(anonymous(), () => {
    const attributes = { "ci.repository": repository._id, "ci.delivery": delivery._id };
    return traced("advance delivery", { begin: true, attributes }, () => step(ctx, repository, delivery));
  });

/** One step: first the builds are made, from then on their outcome is told. */
async function step(ctx: Context, repository: RepositoryDoc, delivery: HookDelivery): Promise<Partial<Done>> {
  if (delivery.sha !== undefined) return { ...(await reportStatus(ctx, repository, delivery)), failures: 0 };
  const built = await buildCommit(ctx, repository, delivery);
  return { ...built, failures: 0, dueInMs: repository.hasAccessToken ? 0 : "never" };
}

/** What follows a failed step: a pause, and after the last one the step counts as done. */
async function afterFailure(ctx: Context, repository: RepositoryDoc, delivery: HookDelivery): Promise<Partial<Done>> {
  const failures = delivery.failures + 1;
  const pauseMs = ctx.config.hookPausesMs[delivery.failures];
  if (pauseMs !== undefined) return { failures, dueInMs: pauseMs };
  ctx.log.warn({ repository: repository._id, delivery: delivery._id }, "delivery given up");
  const dueInMs = repository.hasAccessToken ? 0 : "never";
  if (delivery.sha === undefined) return { failures: 0, sha: delivery.change.sha, wrong: true, dueInMs };
  const verdict = (await verdictNow(ctx, delivery))?.verdict;
  // It may yet get better: the end is worth being told although the beginning was not.
  return verdict === "pending" ? { failures: 0, reported: verdict, dueInMs } : { dueInMs: "never" };
}

/**
 * Does the next step for a delivery that is held, and lets it go. Never throws: what fails is done again later, here
 * or elsewhere.
 */
export async function advance(ctx: Context, held: HookDelivery): Promise<void> {
  const { hookDeliveries: deliveries, log } = ctx;
  try {
    const repository = await ctx.repositories.byId(held.repositoryId);
    if (!repository) return void (await deliveries.remove(held._id));
    const done = await stepApart(ctx, repository, held).catch((err) => {
      if (ctx.signal.aborted) throw err;
      log.warn({ err, repository: repository._id, delivery: held._id }, "delivery is tried again");
      return afterFailure(ctx, repository, held);
    });
    await deliveries.release(held, done);
    // A build may have ended between being looked at and being let go of.
    if (done.reported === "pending" && (await verdictNow(ctx, { ...held, ...done }))?.verdict !== "pending")
      await deliveries.hurry([held._id]);
    ctx.wakeDeliveries();
  } catch (err) {
    if (!ctx.signal.aborted) log.warn({ err, delivery: held._id }, "delivery is left to be found again");
  }
}

/** Builds have ended: the deliveries that made them, where one has, are due. */
export async function hurryReports(ctx: Context, buildIds: readonly number[]): Promise<void> {
  const deliveryIds = await ctx.builds.deliveriesOf(buildIds);
  if (deliveryIds.length === 0) return;
  await ctx.hookDeliveries.hurry(deliveryIds);
  ctx.wakeDeliveries();
}
