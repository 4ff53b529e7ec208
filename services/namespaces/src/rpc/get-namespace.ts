import { userOf } from "@ci/kit/rpc/caller";
import { notFound } from "@ci/kit/rpc/fault";
import { filterAllowed } from "../actions/see-namespace.js";
import type { Context, NamespaceHandlers } from "../context.js";
import { openToAll } from "../domain/access.js";
import { type Placed, toNamespace, visibilityOf } from "../domain/namespace.js";

type Request = Parameters<NamespaceHandlers["getNamespace"]>[0];

async function find(ctx: Context, { username, path }: Request): Promise<Placed | undefined> {
  const owner = await ctx.users.byUsername(username);
  const elements = path.split("/");
  return owner ? (await ctx.namespaces.along(owner._id, elements))[elements.length - 1] : undefined;
}

export const getNamespace =
  (ctx: Context): NamespaceHandlers["getNamespace"] =>
  async (request, { caller }) => {
    const found = await find(ctx, request);
    if (!found) throw notFound();
    const { root } = found;
    const visible = request.anonymous
      ? openToAll({ userId: root.userId, visibility: visibilityOf(root) })
      : (await filterAllowed(ctx, userOf(caller), "view", [found])).length > 0;
    if (!visible) throw notFound();
    return { namespace: toNamespace(found) };
  };
