import { expireGrants } from "@ci/access/grants";
import { userOf } from "@ci/kit/rpc/caller";
import { notFound } from "@ci/kit/rpc/fault";
import type { Context, NamespaceHandlers } from "../context.js";
import { collaboratorChanged, inviteChanged } from "../domain/events.js";
import { toInvite } from "../domain/membership.js";
import { toNamespace } from "../domain/namespace.js";

export const acceptInvite =
  (ctx: Context): NamespaceHandlers["acceptInvite"] =>
  async ({ id }, { caller }) => {
    const userId = userOf(caller);
    const open = await ctx.memberships.openInvite(id);
    if (open?.inviteeId !== userId) throw notFound();
    const [named] = await ctx.namespaces.byIds([open.namespaceId]);
    if (!named) throw notFound();
    const act = { at: ctx.now(), actorId: userId };
    const invite = toInvite(open);
    const events = [inviteChanged(act, "accepted", invite), collaboratorChanged(act, "created", open.rootId, userId)];
    if (!(await ctx.memberships.accept(id, act.at, events))) throw notFound();
    ctx.deletions.created({ userId, namespaceId: open.rootId });
    // After the response, every replica's lists for the user show the namespace.
    await expireGrants(ctx.bus);
    return { invite, root: toNamespace({ doc: named.root, root: named.root }) };
  };
