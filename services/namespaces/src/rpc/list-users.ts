import type { AccountHandlers, Context } from "../context.js";
import { toUser } from "../domain/user.js";

export const listUsers =
  (ctx: Context): AccountHandlers["listUsers"] =>
  async (request) => {
    const { items, page } = await ctx.users.list(request.search, request.page?.number);
    return { users: items.map(toUser), page };
  };
