import type { Context, Handlers } from "../context.js";
import { kill } from "../domain/moves.js";
import { seeBuild } from "./see.js";

export const killBuild =
  (ctx: Context): Handlers["killBuild"] =>
  async ({ ref }, { caller }) => {
    const { _id } = await seeBuild(ctx, caller, ref, "write");
    // A kill needs no name: it must not wait for who is away.
    const by = caller.userId === undefined ? undefined : await ctx.submitter(caller.userId).catch(() => undefined);
    const doc = await ctx.builds.change(_id, (build) => kill(build, ctx.now(), by?.username));
    if (doc.killRequestedAt) ctx.bus.nudge(`kill.${_id}`);
    ctx.news.tell(_id);
    return {};
  };
