import { removeCache } from "../actions/remove-cache.js";
import type { Context } from "../context.js";

/** Removes cache entries that no build has used for CACHE_UNUSED. Returns their number. */
export async function pruneCaches(ctx: Context): Promise<number> {
  const before = new Date(ctx.now().getTime() - ctx.config.cacheUnusedMs);
  let removed = 0;
  for (;;) {
    const docs = await ctx.caches.unusedSince(before);
    if (docs.length === 0) return removed;
    for (const doc of docs) if (await removeCache(ctx, doc)) removed++;
  }
}
