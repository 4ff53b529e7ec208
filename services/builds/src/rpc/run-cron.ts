import { notFound } from "@ci/kit/rpc/fault";
import { requireKeeper } from "../actions/crons/cron-keeper.js";
import { submitRun } from "../actions/crons/submit-run.js";
import { findOwners } from "../actions/find-owners.js";
import { seeCron } from "../actions/see.js";
import { toQueuedBuild } from "../actions/submit.js";
import type { Context, CronHandlers } from "../context.js";

// The build gets the inputs of a due run: it must not use the caller's own records.
export const runCron =
  (ctx: Context): CronHandlers["runCron"] =>
  async ({ id }, { caller }) => {
    const doc = await seeCron(ctx, caller, id, "write");
    const { userGone, namespaceGone, namespace } = await findOwners(ctx, doc);
    if (userGone || namespaceGone) throw notFound();
    await requireKeeper(ctx, doc);
    const { username } = await ctx.submitter(caller.userId!);
    return { build: toQueuedBuild(await submitRun(ctx, doc, namespace, { id: caller.userId!, username })) };
  };
