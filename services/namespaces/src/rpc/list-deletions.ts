import type { AccountHandlers, Context } from "../context.js";

const maxListed = 1_000;

export const listDeletions =
  (ctx: Context): AccountHandlers["listDeletions"] =>
  async ({ since, after, limit }) => {
    const readAt = ctx.now();
    const count = limit > 0 ? Math.min(limit, maxListed) : maxListed;
    const found = await ctx.deletionList.list({ since, after }, count + 1);
    return { deletions: found.slice(0, count), hasNext: found.length > count, readAt };
  };
