import type { AccountHandlers, Context } from "../context.js";
import { toUser } from "../domain/user.js";

export const listUsers =
  (ctx: Context): AccountHandlers["listUsers"] =>
  async (ask) => {
    const { items, page } = await ctx.users.list(ask.search, ask.page?.number);
    return { users: items.map(toUser), page };
  };
