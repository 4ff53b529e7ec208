import type { Context, NamespaceHandlers } from "../context.js";
import { toInvite } from "../domain/membership.js";
import { seeNamespace, userOf } from "./see.js";

export const listInvites =
  (ctx: Context): NamespaceHandlers["listInvites"] =>
  async ({ namespaceId, page: asked }, { caller }) => {
    const userId = userOf(caller);
    const { items, page } =
      namespaceId === undefined
        ? await ctx.memberships.invitesTo(userId, asked?.number)
        : await ctx.memberships.invitesOf(
            (await seeNamespace(ctx, userId, namespaceId, "own")).root._id,
            asked?.number,
          );
    return { invites: items.map(toInvite), page };
  };
