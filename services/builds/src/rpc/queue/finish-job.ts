import type { Context, QueueHandlers } from "../../context.js";
import { isFinal } from "../../domain/build.js";
import { finishJob as finish } from "../../domain/moves.js";

export const finishJob =
  (ctx: Context): QueueHandlers["finishJob"] =>
  async ({ buildId, placedObjectIds: placed, ...request }) => {
    const doc = await ctx.builds.change(buildId, (build) => finish(build, { ...request, placed }, ctx.now()));
    ctx.wakeups.wake(buildId);
    return { final: isFinal(doc.status) };
  };
