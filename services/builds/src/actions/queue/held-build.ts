import type { Context } from "../../context.js";
import type { BuildDoc } from "../../domain/build.js";
import { requireHeld } from "../../domain/change.js";
import { requireSecret } from "../../domain/lease-secret.js";

/** What a runner sends to prove that it holds a build. */
export interface LeaseProof {
  readonly buildId: number;
  readonly epoch: number;
  readonly leaseSecret?: string | undefined;
}

/** Returns the running build of a lease. Throws `conflict` if the runner does not hold it. */
export async function heldBuild(ctx: Context, { buildId, epoch, leaseSecret }: LeaseProof): Promise<BuildDoc> {
  const build = await ctx.builds.byId(buildId);
  requireSecret(build, leaseSecret);
  requireHeld(build, epoch);
  return build;
}
