import { fixedLimit } from "@ci/kit/process/fixed-limit";
import type { Context } from "../context.js";
import type { CacheDoc } from "../domain/cache.js";

type Stores = Pick<Context, "caches" | "contents">;

const maxEntries = fixedLimit({
  max: 1_000,
  about: "cache entries of one owner",
  effect: "the least recently used one is removed",
});

/** Removes an entry. Returns false if it did not exist. */
export async function removeCache(
  { caches, contents }: Stores,
  { _id, blobId }: Pick<CacheDoc, "_id" | "blobId">,
): Promise<boolean> {
  await contents.release(blobId);
  const removed = await caches.remove(_id);
  await contents.delete(blobId).catch(() => undefined);
  return removed;
}

export async function removeCachesOf(ctx: Stores, owner: string): Promise<boolean> {
  const docs = await ctx.caches.oldest(owner);
  for (const doc of docs) await removeCache(ctx, doc);
  return docs.length > 0;
}

/** Removes the entries of an owner beyond CACHE_STORAGE, least recently used first. */
export async function trimCaches(ctx: Stores & Pick<Context, "config">, owner: string): Promise<void> {
  const { cacheStorageBytes } = ctx.config;
  let { bytes, entries } = await ctx.caches.usage(owner);
  const isOver = () => entries > maxEntries || (cacheStorageBytes > 0 && bytes > cacheStorageBytes);
  while (isOver()) {
    const docs = await ctx.caches.oldest(owner);
    if (docs.length === 0) return;
    for (const doc of docs) {
      if (!isOver()) return;
      await removeCache(ctx, doc);
      bytes -= doc.storedSize;
      entries--;
    }
  }
}
