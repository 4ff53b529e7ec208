import type { AccountHandlers, Context } from "../context.js";

export const listMemberships =
  (ctx: Context): AccountHandlers["listMemberships"] =>
  async ({ userId }) => ({ rootIds: await ctx.memberships.rootsOf(userId) });
