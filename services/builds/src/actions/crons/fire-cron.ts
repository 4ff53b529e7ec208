import { duplicateKey } from "@ci/kit/mongo/duplicates";
import { traced } from "@ci/kit/process/trace";
import { anonymous, runAs } from "@ci/kit/rpc/caller";
import { asFault } from "@ci/kit/rpc/fault";
import type { Namespace } from "@ci/proto/namespaces/v1/namespaces";
import type { Context } from "../../context.js";
import { afterFailure, afterRun, asDeleted, type CronDoc, cronEvent, isDue } from "../../domain/cron.js";
import type { RunBuild } from "../../store/builds.js";
import { findOwners } from "../find-owners.js";
import { groupMembers } from "../submit/group-members.js";
import { requireKeeper } from "./cron-keeper.js";
import { submitRun } from "./submit-run.js";

/** Long enough to submit a build; short enough for another replica to do it within a minute of the due time. */
const claimMs = 15_000;

/** Deletes a cron job whose user or namespace is deleted. Has no effect if it was changed since it was read. */
export async function deleteOrphanedCron(
  ctx: Pick<Context, "crons" | "now">,
  doc: CronDoc,
  parent: "user" | "namespace",
) {
  const at = ctx.now();
  await ctx.crons.change(doc, asDeleted(doc, at), (after) =>
    cronEvent(after, "deleted", { at }, parent === "namespace" ? "nobody" : "namespace"),
  );
}

/** Returns the build of the due run, and submits it if there is none yet. */
async function buildOfRun(ctx: Context, doc: CronDoc, namespace: Namespace | undefined): Promise<RunBuild> {
  const existing = await ctx.builds.ofRun(doc._id, doc.nextRun);
  if (existing) return existing;
  await requireKeeper(ctx, doc);
  try {
    return (await submitRun(ctx, doc, namespace)).doc;
  } catch (error) {
    const other = duplicateKey(error) && (await ctx.builds.ofRun(doc._id, doc.nextRun));
    if (other) return other;
    throw error;
  }
}

// The build is stored under the run's unique due time before the run is recorded as done. So a run can be repeated
// after a crash, and concurrent replicas submit one build.
/** Runs a cron job that is due: submits one build or sets `last_error`. */
export async function fireCron(ctx: Context, doc: CronDoc): Promise<void> {
  const { userGone, namespaceGone, namespace } = await findOwners(ctx, doc);
  if (userGone || namespaceGone) return deleteOrphanedCron(ctx, doc, namespaceGone ? "namespace" : "user");
  try {
    const build = await buildOfRun(ctx, doc, namespace);
    if (build.group) await groupMembers(ctx, build.group.id);
    await ctx.crons.change(doc, afterRun(doc, build.createdAt!));
  } catch (error) {
    const { code, fields = {} } = asFault(error);
    if (code !== "invalid") throw error;
    await ctx.crons.change(doc, afterFailure(doc, ctx.now(), Object.values(fields).flat().join("\n")));
  }
}

/** Runs a cron job if it is due, and schedules its next wake-up. */
export async function wakeCron(ctx: Context, was: CronDoc): Promise<void> {
  const now = ctx.now();
  // Keeps other replicas from running it, and forces concurrent updates to read it again.
  const doc = await ctx.crons.change(was, { wakeAt: new Date(now.getTime() + claimMs) });
  if (!doc) return;
  if (isDue(doc, now))
    return runAs(anonymous(), () =>
      traced("fire cron job", { begin: true, attributes: { "ci.cron": doc._id } }, () => fireCron(ctx, doc)),
    );
  await ctx.crons.change(doc, { wakeAt: doc.nextRun });
}
