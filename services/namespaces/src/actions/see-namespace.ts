import { notFound } from "@ci/kit/rpc/fault";
import type { Context } from "../context.js";
import { type Action, may, roleIn } from "../domain/access.js";
import { type Placed, visibilityOf } from "../domain/namespace.js";

/** Returns the namespaces in which a user may do this, with one query for all. */
export async function filterAllowed(
  ctx: Pick<Context, "memberships">,
  userId: number,
  action: Action,
  placed: readonly Placed[],
): Promise<Placed[]> {
  const rootIds = new Set(placed.filter(({ root }) => root.userId !== userId).map(({ root }) => root._id));
  const joined = rootIds.size > 0 ? await ctx.memberships.rootsOf(userId, [...rootIds]) : [];
  return placed.filter(({ root }) => {
    const tree = { userId: root.userId, visibility: visibilityOf(root) };
    return may(roleIn(tree, userId, joined.includes(root._id)), action);
  });
}

/** Returns the namespace with this id. Throws `not_found` if the user may not act there. */
export async function seeNamespace(
  ctx: Pick<Context, "memberships" | "namespaces">,
  userId: number,
  id: number,
  action: Action,
): Promise<Placed> {
  const [placed] = await filterAllowed(ctx, userId, action, await ctx.namespaces.byIds([id]));
  if (!placed) throw notFound();
  return placed;
}
