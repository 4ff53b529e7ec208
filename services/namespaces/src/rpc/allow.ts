import { filterAllowed } from "../actions/see-namespace.js";
import type { AccountHandlers, Context } from "../context.js";

export const allow =
  (ctx: Context): AccountHandlers["allow"] =>
  async ({ userId, action, namespaceIds }) => {
    const placed = await ctx.namespaces.byIds(namespaceIds);
    return { namespaceIds: (await filterAllowed(ctx, userId, action, placed)).map(({ doc }) => doc._id) };
  };
