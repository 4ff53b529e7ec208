import { userOf } from "@ci/kit/rpc/caller";
import { seeNamespace } from "../actions/see-namespace.js";
import type { Context, NamespaceHandlers } from "../context.js";
import { toInvite } from "../domain/membership.js";

export const listInvites =
  (ctx: Context): NamespaceHandlers["listInvites"] =>
  async ({ namespaceId, page: requested }, { caller }) => {
    const userId = userOf(caller);
    const { items, page } =
      namespaceId === undefined
        ? await ctx.memberships.invitesTo(userId, requested?.number)
        : await ctx.memberships.invitesOf(
            (await seeNamespace(ctx, userId, namespaceId, "own")).root._id,
            requested?.number,
          );
    return { invites: items.map(toInvite), page };
  };
