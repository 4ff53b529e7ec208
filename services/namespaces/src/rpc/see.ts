import type { Caller } from "@ci/kit/rpc/caller";
import { Fault, notFound } from "@ci/kit/rpc/fault";
import type { Context } from "../context.js";
import { type Action, may, roleIn } from "../domain/access.js";
import { type Placed, visibilityOf } from "../domain/namespace.js";

/** The user on whose behalf a call is made. Fault `unauthenticated` if there is none. */
export function userOf(caller: Caller): number {
  if (caller.userId === undefined) throw new Fault("unauthenticated", "Unauthorized");
  return caller.userId;
}

/** Those of these namespaces in which a user may do this; one query for all of them. */
export async function among(
  ctx: Pick<Context, "memberships">,
  userId: number,
  action: Action,
  placed: readonly Placed[],
): Promise<Placed[]> {
  const rootIds = new Set(placed.filter(({ root }) => root.userId !== userId).map(({ root }) => root._id));
  const joined = rootIds.size > 0 ? await ctx.memberships.rootsOf(userId, [...rootIds]) : [];
  return placed.filter(({ root }) => {
    const seen = { userId: root.userId, visibility: visibilityOf(root) };
    return may(roleIn(seen, userId, joined.includes(root._id)), action);
  });
}

/** The namespace with this id, if the user may do this there; else it does not exist for them. */
export async function seeNamespace(
  ctx: Pick<Context, "memberships" | "namespaces">,
  userId: number,
  id: number,
  action: Action,
): Promise<Placed> {
  const [placed] = await among(ctx, userId, action, await ctx.namespaces.byIds([id]));
  if (!placed) throw notFound();
  return placed;
}
