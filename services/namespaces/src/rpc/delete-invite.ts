import { userOf } from "@ci/kit/rpc/caller";
import { notFound } from "@ci/kit/rpc/fault";
import { filterAllowed } from "../actions/see-namespace.js";
import type { Context, NamespaceHandlers } from "../context.js";
import { inviteChanged } from "../domain/events.js";
import { type MembershipDoc, toInvite } from "../domain/membership.js";

/** Reports whether a user may withdraw an invite addressed to another. */
async function mayWithdraw(ctx: Context, userId: number, { inviterId, rootId }: MembershipDoc): Promise<boolean> {
  if (inviterId === userId) return true;
  return (await filterAllowed(ctx, userId, "own", await ctx.namespaces.byIds([rootId]))).length > 0;
}

export const deleteInvite =
  (ctx: Context): NamespaceHandlers["deleteInvite"] =>
  async ({ id }, { caller }) => {
    const userId = userOf(caller);
    const open = await ctx.memberships.openInvite(id);
    if (!open) throw notFound();
    const rejects = open.inviteeId === userId;
    if (!rejects && !(await mayWithdraw(ctx, userId, open))) throw notFound();
    const act = { at: ctx.now(), actorId: userId };
    const events = rejects ? [inviteChanged(act, "rejected", toInvite(open))] : [];
    if (!(await ctx.memberships.withdraw(id, act.at, events))) throw notFound();
    return { namespaceId: open.namespaceId };
  };
