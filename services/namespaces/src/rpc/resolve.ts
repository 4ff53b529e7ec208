import type { AccountHandlers, Context } from "../context.js";
import { toNamespace } from "../domain/namespace.js";
import { toUser } from "../domain/user.js";

export const resolve =
  (ctx: Context): AccountHandlers["resolve"] =>
  async ({ userIds, namespaceIds }) => {
    const namespaces = await ctx.namespaces.byIds(namespaceIds);
    const wanted = new Set([...userIds, ...namespaces.map(({ doc }) => doc.userId)]);
    const users = wanted.size > 0 ? await ctx.users.byIds([...wanted]) : [];
    return { users: users.map(toUser), namespaces: namespaces.map(toNamespace) };
  };
