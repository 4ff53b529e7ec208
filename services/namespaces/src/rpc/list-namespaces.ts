import { userOf } from "@ci/kit/rpc/caller";
import { seeNamespace } from "../actions/see-namespace.js";
import type { Context, NamespaceHandlers } from "../context.js";
import { toNamespace } from "../domain/namespace.js";
import type { Selection } from "../store/namespaces.js";

async function selection(ctx: Context, userId: number, parentId: number | undefined): Promise<Selection> {
  if (parentId === undefined) return { userId, rootIds: await ctx.memberships.rootsOf(userId) };
  await seeNamespace(ctx, userId, parentId, "view");
  return { parentId };
}

export const listNamespaces =
  (ctx: Context): NamespaceHandlers["listNamespaces"] =>
  async (request, { caller }) => {
    const selected = await selection(ctx, userOf(caller), request.parentId);
    const { items, page } = await ctx.namespaces.list(selected, request.search, request.page?.number);
    return { namespaces: items.map(toNamespace), page };
  };
