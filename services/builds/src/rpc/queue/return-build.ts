import type { Context, QueueHandlers } from "../../context.js";
import { giveBack } from "../../domain/moves.js";
import { requeue } from "../../requeue.js";

export const returnBuild =
  (ctx: Context): QueueHandlers["returnBuild"] =>
  async ({ buildId, epoch }) => {
    await requeue(ctx, buildId, (build, limits) => giveBack(build, epoch, limits, ctx.now()));
    return {};
  };
