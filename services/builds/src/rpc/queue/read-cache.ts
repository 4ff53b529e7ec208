import { notFound } from "@ci/kit/rpc/fault";
import { heldBuild } from "../../actions/queue/held-build.js";
import type { Context, QueueHandlers } from "../../context.js";
import { cacheOwner } from "../../domain/cache.js";

export const readCache = (ctx: Context): QueueHandlers["readCache"] =>
  async function* ({ id, ...lease }) {
    const build = await heldBuild(ctx, lease);
    const entry = await ctx.caches.byId(id);
    if (!entry || entry.owner !== cacheOwner(build)) throw notFound();
    for await (const chunk of ctx.contents.get(entry.blobId)) yield { chunk };
  };
