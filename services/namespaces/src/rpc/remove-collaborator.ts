import { expireGrants } from "@ci/access/grants";
import { userOf } from "@ci/kit/rpc/caller";
import { notFound } from "@ci/kit/rpc/fault";
import { seeNamespace } from "../actions/see-namespace.js";
import type { Context, NamespaceHandlers } from "../context.js";
import { collaboratorChanged } from "../domain/events.js";

export const removeCollaborator =
  (ctx: Context): NamespaceHandlers["removeCollaborator"] =>
  async ({ namespaceId, handle }, { caller }) => {
    const userId = userOf(caller);
    const user = await ctx.users.byHandle(handle);
    // Only owners remove others. Collaborators may leave.
    const { root } = await seeNamespace(ctx, userId, namespaceId, user?._id === userId ? "write" : "own");
    const membership = user && (await ctx.memberships.of(root._id, user._id));
    if (!membership) throw notFound();
    const act = { at: ctx.now(), actorId: userId };
    const event = collaboratorChanged(act, "deleted", root._id, user._id);
    if (!(await ctx.memberships.leave(membership._id, act.at, event))) throw notFound();
    await expireGrants(ctx.bus);
    return {};
  };
