import type { NothingYet } from "@ci/kit/process/loop";
import { clearNamespace, clearUser } from "../actions/clear.js";
import type { Context } from "../context.js";
import { nextToClear } from "../store/next-to-clear.js";

/** Clears what is below deleted users and namespaces. Returns the number of deleted records it processed. */
export async function clearDeleted(ctx: Context): Promise<number | NothingYet> {
  const now = ctx.now();
  const next = await nextToClear(ctx.db);
  if (next === undefined) return 0;
  if (next > now) return { nextInMs: next.getTime() - now.getTime() };
  const users = await ctx.users.toClear(now);
  for (const user of users) await clearUser(ctx, user._id);
  const namespaces = await ctx.namespaces.toClear(now);
  for (const namespace of namespaces) await clearNamespace(ctx, namespace);
  const removed = await ctx.memberships.removeDeleted();
  return users.length + namespaces.length + removed;
}
