import type { Context, Handlers } from "../context.js";
import { rootOwner, toCache } from "../domain/cache.js";

export const listCaches =
  (ctx: Context): Handlers["listCaches"] =>
  async ({ page: requested }, { caller }) => {
    const userId = caller.userId!;
    const { rootIds } = await ctx.accounts.listMemberships({ userId });
    const { items, page } = await ctx.caches.list(userId, rootIds.map(rootOwner), requested?.number);
    return { caches: items.map(toCache), page };
  };
