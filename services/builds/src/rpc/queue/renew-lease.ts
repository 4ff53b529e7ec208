import type { Context, QueueHandlers } from "../../context.js";
import { isHeld } from "../../domain/moves.js";

export const renewLease =
  (ctx: Context): QueueHandlers["renewLease"] =>
  async ({ buildId, epoch }) => {
    const doc = await ctx.builds.change(buildId, (build) => {
      isHeld(build, epoch);
      return { set: { lease: { ...build.lease!, until: new Date(ctx.now().getTime() + ctx.config.leaseMs) } } };
    });
    await ctx.runners.isThere(doc.lease!.runnerId, ctx.now());
    return { kill: doc.killRequestedAt !== undefined };
  };
