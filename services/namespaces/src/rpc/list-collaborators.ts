import { userOf } from "@ci/kit/rpc/caller";
import { seeNamespace } from "../actions/see-namespace.js";
import type { Context, NamespaceHandlers } from "../context.js";
import { toCollaborator } from "../domain/membership.js";

export const listCollaborators =
  (ctx: Context): NamespaceHandlers["listCollaborators"] =>
  async (request, { caller }) => {
    const { root } = await seeNamespace(ctx, userOf(caller), request.namespaceId, "write");
    const { items, page } = await ctx.memberships.collaborators(root._id, request.page?.number);
    return { collaborators: items.map(toCollaborator), page };
  };
