import { Fault } from "@ci/kit/rpc/fault";
import type { Context, QueueHandlers } from "../../context.js";
import { requireHeld } from "../../domain/change.js";
import { hashOf, requireSecret } from "../../domain/lease-secret.js";

export const renewLease =
  (ctx: Context): QueueHandlers["renewLease"] =>
  async ({ buildId, epoch, leaseSecret }) => {
    const doc = await ctx.builds.renew(buildId, epoch, hashOf(leaseSecret), ctx.config.leaseMs);
    if (!doc) {
      const found = await ctx.builds.byId(buildId);
      requireSecret(found, leaseSecret);
      requireHeld(found, epoch);
      throw new Fault("unavailable", `The lease of build ${buildId} was not renewed`);
    }
    await ctx.runners.recordRenewal(doc.lease!.runnerId, ctx.now());
    return { kill: doc.killRequestedAt !== undefined, killedBy: doc.killRequestedBy };
  };
