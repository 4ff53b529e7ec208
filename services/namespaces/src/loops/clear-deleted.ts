import { clearNamespace, clearUser } from "../actions/clear.js";
import type { Context } from "../context.js";

/** Clears what is below deleted users and namespaces. Returns the number of deleted records it processed. */
export async function clearDeleted(ctx: Context): Promise<number> {
  const now = ctx.now();
  const users = await ctx.users.toClear(now);
  for (const user of users) await clearUser(ctx, user._id);
  const namespaces = await ctx.namespaces.toClear(now);
  for (const namespace of namespaces) await clearNamespace(ctx, namespace);
  await ctx.memberships.removeDeleted();
  return users.length + namespaces.length;
}
