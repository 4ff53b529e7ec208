import { notFound } from "@ci/kit/rpc/fault";
import { carryOut } from "@ci/kit/rpc/validated";
import type { Build } from "@ci/proto/builds/v1/builds";
import { requireKeeper } from "../actions/crons/cron-keeper.js";
import { type Starter, submitRun } from "../actions/crons/submit-run.js";
import { findOwners } from "../actions/find-owners.js";
import { seeCron } from "../actions/see.js";
import { madeBuild, oncePerKey } from "../actions/submit/once-per-key.js";
import { toQueuedBuild } from "../actions/submit/queue-builds.js";
import type { Context, CronHandlers } from "../context.js";
import { idempotencyOf } from "../domain/idempotency.js";

type Call = Parameters<CronHandlers["runCron"]>[1];

// The build gets the inputs of a due run: it must not use the caller's own records.
async function runNow(ctx: Context, { caller }: Call, cronId: number, starter: Starter): Promise<Build> {
  const doc = await seeCron(ctx, caller, cronId, "write");
  const { userGone, namespaceGone, namespace } = await findOwners(ctx, doc);
  if (userGone || namespaceGone) throw notFound();
  await requireKeeper(ctx, doc);
  return toQueuedBuild(await submitRun(ctx, doc, namespace, starter));
}

export const runCron =
  (ctx: Context): CronHandlers["runCron"] =>
  async ({ id, idempotencyKey, entry }, call) => {
    const { caller } = call;
    const userId = caller.userId!;
    const { username } = await ctx.submitter(userId);
    const idempotency = idempotencyOf(userId, idempotencyKey, ["runCron", id]);
    const change = () => runNow(ctx, call, id, { id: userId, username, idempotency, cause: entry && { entry } });
    const prepared = await oncePerKey(ctx, call, idempotency, async () => ({ complaints: {}, change }));
    return madeBuild(await carryOut(prepared), entry);
  };
