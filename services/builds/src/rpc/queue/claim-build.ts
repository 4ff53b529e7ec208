import { asFault } from "@ci/kit/fault";
import { open } from "@ci/kit/secrets";
import type { ClaimBuildRequest } from "@ci/proto/builds/v1/queue";
import type { Context, QueueHandlers } from "../../context.js";
import { assignment } from "../../domain/assignment.js";
import type { BuildDoc } from "../../domain/build.js";
import { claim } from "../../domain/moves.js";

/** Whether a limit keeps this user, or this tree, from running one more. 0 is no limit. */
async function hasRoom(limit: number, running: () => Promise<number>): Promise<boolean> {
  return limit === 0 || (await running()) < limit;
}

/** Takes this build unless somebody else was quicker. */
async function take(ctx: Context, read: BuildDoc, runnerId: string): Promise<BuildDoc | undefined> {
  const now = ctx.now();
  const until = new Date(now.getTime() + ctx.config.leaseMs);
  try {
    return await ctx.builds.change(read._id, (doc) => claim(doc, { runnerId, until }, now), read);
  } catch (error) {
    if (asFault(error).code === "conflict") return undefined;
    throw error;
  }
}

/** Gives each user a turn: the oldest build of whoever has waited longest for one. */
async function next(ctx: Context, { runnerId, drivers }: ClaimBuildRequest): Promise<BuildDoc | undefined> {
  const { runningPerUser, runningPerNamespace } = ctx.config;
  const users = await ctx.queue.usersInTurn(drivers);
  for (const userId of users) {
    if (!(await hasRoom(runningPerUser, () => ctx.queue.runningOfUser(userId)))) continue;
    for await (const oldest of ctx.queue.oldest(userId, drivers)) {
      const { rootId } = oldest;
      if (rootId !== undefined && !(await hasRoom(runningPerNamespace, () => ctx.queue.runningInRoot(rootId))))
        continue;
      const doc = await take(ctx, oldest, runnerId);
      if (!doc) continue;
      // Whoever is alone in the queue has had nobody else's turn.
      if (users.length > 1) await ctx.queue.tookTurn(userId, ctx.now());
      return doc;
    }
  }
  return undefined;
}

export const claimBuild =
  (ctx: Context): QueueHandlers["claimBuild"] =>
  async (ask) => {
    const { leaseMs, renewEveryMs, keyring } = ctx.config;
    const doc = await next(ctx, ask);
    if (!doc) return { leaseMs, renewEveryMs };
    ctx.news.tell(doc._id);
    const plain = (sealed: string, kind: string, id: number) => open(keyring, sealed, { kind, id });
    return { assignment: assignment(doc, ctx.config, plain), leaseMs, renewEveryMs };
  };
