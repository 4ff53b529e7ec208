import type { Context, NamespaceHandlers } from "../context.js";
import { toCollaborator } from "../domain/membership.js";
import { seeNamespace, userOf } from "./see.js";

export const listCollaborators =
  (ctx: Context): NamespaceHandlers["listCollaborators"] =>
  async (ask, { caller }) => {
    const { root } = await seeNamespace(ctx, userOf(caller), ask.namespaceId, "write");
    const { items, page } = await ctx.memberships.collaborators(root._id, ask.page?.number);
    return { collaborators: items.map(toCollaborator), page };
  };
