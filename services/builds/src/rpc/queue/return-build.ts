import type { Context, QueueHandlers } from "../../context.js";
import { giveBack, isHeld } from "../../domain/moves.js";
import { requeue } from "../../requeue.js";

export const returnBuild =
  (ctx: Context): QueueHandlers["returnBuild"] =>
  async ({ buildId, epoch }) => {
    const read = await ctx.builds.byId(buildId);
    // Before anything is undone: what has been collected may be somebody else's by now.
    isHeld(read, epoch);
    await requeue(ctx, read, (build, limits) => giveBack(build, epoch, limits, ctx.now()));
    return {};
  };
