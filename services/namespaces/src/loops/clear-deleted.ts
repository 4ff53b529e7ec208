import { clearNamespace, clearUser } from "../clear.js";
import type { Context } from "../context.js";

/** One pass over all that deletions still entail; answers how many deleted records were looked at. */
export async function clearDeleted(ctx: Context): Promise<number> {
  const now = ctx.now();
  const users = await ctx.users.toClear(now);
  for (const user of users) await clearUser(ctx, user._id);
  const namespaces = await ctx.namespaces.toClear(now);
  for (const namespace of namespaces) await clearNamespace(ctx, namespace);
  await ctx.memberships.tidy();
  return users.length + namespaces.length;
}
