import type { Context, Handlers } from "../context.js";
import { kill } from "../domain/moves.js";
import { seeBuild } from "./see.js";

export const killBuild =
  (ctx: Context): Handlers["killBuild"] =>
  async ({ ref }, { caller }) => {
    const { _id } = await seeBuild(ctx, caller, ref, "write");
    const doc = await ctx.builds.change(_id, (build) => kill(build, ctx.now()));
    if (doc.killRequestedAt) ctx.bus.nudge(`kill.${_id}`);
    ctx.news.tell(_id);
    return {};
  };
