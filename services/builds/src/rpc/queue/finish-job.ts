import type { Context, QueueHandlers } from "../../context.js";
import { isFinal } from "../../domain/build.js";
import { finishJob as finish } from "../../domain/moves.js";

export const finishJob =
  (ctx: Context): QueueHandlers["finishJob"] =>
  async ({ buildId, placedObjectIds: placed, ...ask }) => {
    const doc = await ctx.builds.change(buildId, (build) => finish(build, { ...ask, placed }, ctx.now()));
    ctx.news.tell(buildId);
    return { final: isFinal(doc.status) };
  };
