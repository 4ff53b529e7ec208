import { expireGrants } from "@ci/access/grants";
import { notFound } from "@ci/kit/rpc/fault";
import type { Context } from "../context.js";
import { collaboratorChanged } from "../domain/events.js";

/** Ends a user's collaboration on a tree, at once. Throws `not_found` if there is none. */
export async function endMembership(ctx: Context, rootId: number, userId: number, actorId: number): Promise<void> {
  const membership = await ctx.memberships.of(rootId, userId);
  if (!membership) throw notFound();
  const act = { at: ctx.now(), actorId };
  const event = collaboratorChanged(act, "deleted", rootId, userId);
  if (!(await ctx.memberships.leave(membership._id, act.at, event))) throw notFound();
  await expireGrants(ctx.bus);
}
