import { notFound } from "@ci/kit/rpc/fault";
import type { Context } from "../context.js";
import type { BuildDoc } from "../domain/build.js";
import { cacheOwner, platformOf } from "../domain/cache.js";
import { requireHeld } from "../domain/change.js";
import { requireSecret } from "../domain/lease-secret.js";
import type { CacheScope } from "../store/caches.js";

interface CacheOfLease {
  readonly name: string;
  readonly format?: number | undefined;
}

interface HeldLease {
  readonly buildId: number;
  readonly epoch: number;
  readonly leaseSecret?: string | undefined;
}

/** Returns the running build of a lease. Throws `conflict` if the runner does not hold it. */
export async function heldBuild(ctx: Context, { buildId, epoch, leaseSecret }: HeldLease): Promise<BuildDoc> {
  const build = await ctx.builds.byId(buildId);
  requireSecret(build, leaseSecret);
  requireHeld(build, epoch);
  return build;
}

/** Returns the scope of a cache's entries. Throws `not_found` if the build has no such cache, or none any more. */
export async function heldCache(
  ctx: Context,
  lease: HeldLease,
  { name, format }: CacheOfLease,
): Promise<{ build: BuildDoc; scope: CacheScope }> {
  const build = await heldBuild(ctx, lease);
  const owner = cacheOwner(build);
  if (owner === undefined || !build.caches?.some((cache) => cache.name === name)) throw notFound();
  return { build, scope: { owner, platform: platformOf(build, format), name } };
}
