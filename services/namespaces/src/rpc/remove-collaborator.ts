import { userOf } from "@ci/kit/rpc/caller";
import { notFound } from "@ci/kit/rpc/fault";
import { endMembership } from "../actions/end-membership.js";
import { seeNamespace } from "../actions/see-namespace.js";
import type { Context, NamespaceHandlers } from "../context.js";

export const removeCollaborator =
  (ctx: Context): NamespaceHandlers["removeCollaborator"] =>
  async ({ namespaceId, handle }, { caller }) => {
    const actorId = userOf(caller);
    const { root } = await seeNamespace(ctx, actorId, namespaceId, "own");
    const user = await ctx.users.byHandle(handle);
    if (!user) throw notFound();
    await endMembership(ctx, root._id, user._id, actorId);
    return {};
  };
