import { notFound } from "@ci/kit/rpc/fault";
import type { Context, NamespaceHandlers } from "../context.js";
import { openToAll } from "../domain/access.js";
import { type Placed, toNamespace, visibilityOf } from "../domain/namespace.js";
import { among, userOf } from "./see.js";

type Ask = Parameters<NamespaceHandlers["getNamespace"]>[0];

async function find(ctx: Context, { username, path }: Ask): Promise<Placed | undefined> {
  const owner = await ctx.users.byUsername(username);
  const elements = path.split("/");
  return owner ? (await ctx.namespaces.along(owner._id, elements))[elements.length - 1] : undefined;
}

export const getNamespace =
  (ctx: Context): NamespaceHandlers["getNamespace"] =>
  async (ask, { caller }) => {
    const found = await find(ctx, ask);
    if (!found) throw notFound();
    const { root } = found;
    const seen = ask.anonymous
      ? openToAll({ userId: root.userId, visibility: visibilityOf(root) })
      : (await among(ctx, userOf(caller), "view", [found])).length > 0;
    if (!seen) throw notFound();
    return { namespace: toNamespace(found) };
  };
