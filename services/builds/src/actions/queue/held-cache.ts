import { notFound } from "@ci/kit/rpc/fault";
import type { Context } from "../../context.js";
import type { BuildDoc } from "../../domain/build.js";
import { cacheOwner, platformOf } from "../../domain/cache.js";
import type { CacheScope } from "../../store/caches.js";
import { heldBuild, type LeaseProof } from "./held-build.js";

interface CacheOfLease {
  readonly name: string;
  readonly format?: number | undefined;
}

/** Returns the scope of a cache's entries. Throws `not_found` if the build has no such cache, or none any more. */
export async function heldCache(
  ctx: Context,
  lease: LeaseProof,
  { name, format }: CacheOfLease,
): Promise<{ build: BuildDoc; scope: CacheScope }> {
  const build = await heldBuild(ctx, lease);
  const owner = cacheOwner(build);
  if (owner === undefined || !build.caches?.some((cache) => cache.name === name)) throw notFound();
  return { build, scope: { owner, platform: platformOf(build, format), name } };
}
