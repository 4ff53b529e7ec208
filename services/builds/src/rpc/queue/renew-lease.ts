import { Fault } from "@ci/kit/rpc/fault";
import type { Context, QueueHandlers } from "../../context.js";
import { isHeld } from "../../domain/moves.js";

export const renewLease =
  (ctx: Context): QueueHandlers["renewLease"] =>
  async ({ buildId, epoch }) => {
    const doc = await ctx.builds.renew(buildId, epoch, ctx.config.leaseMs);
    if (!doc) {
      isHeld(await ctx.builds.byId(buildId), epoch);
      throw new Fault("unavailable", `The lease of build ${buildId} was not renewed`);
    }
    await ctx.runners.isThere(doc.lease!.runnerId, ctx.now());
    return { kill: doc.killRequestedAt !== undefined, killedBy: doc.killRequestedBy };
  };
