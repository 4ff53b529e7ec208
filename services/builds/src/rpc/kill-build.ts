import { seeBuild } from "../actions/see.js";
import type { Context, Handlers } from "../context.js";
import { kill } from "../domain/moves.js";

export const killBuild =
  (ctx: Context): Handlers["killBuild"] =>
  async ({ ref }, { caller }) => {
    const { _id } = await seeBuild(ctx, caller, ref, "write");
    // A kill does not need the name, so it works while the namespaces service is down.
    const by = caller.userId === undefined ? undefined : await ctx.submitter(caller.userId).catch(() => undefined);
    const doc = await ctx.builds.change(_id, (build) => kill(build, ctx.now(), by?.username));
    if (doc.killRequestedAt) ctx.bus.nudge(`kill.${_id}`);
    ctx.wakeups.wake(_id);
    return { namespaceId: doc.namespaceId };
  };
