import type { AccountHandlers, Context } from "../context.js";
import { among } from "./see.js";

export const allow =
  (ctx: Context): AccountHandlers["allow"] =>
  async ({ userId, action, namespaceIds }) => {
    const placed = await ctx.namespaces.byIds(namespaceIds);
    return { namespaceIds: (await among(ctx, userId, action, placed)).map(({ doc }) => doc._id) };
  };
