import { notFound } from "@ci/kit/rpc/fault";
import { removeCache } from "../actions/remove-cache.js";
import { requireAccess } from "../actions/see.js";
import type { Context, Handlers } from "../context.js";

export const deleteCache =
  (ctx: Context): Handlers["deleteCache"] =>
  async ({ id }, { caller }) => {
    const doc = await ctx.caches.byId(id);
    if (!doc) throw notFound();
    await requireAccess(ctx, caller, "write", doc);
    if (!(await removeCache(ctx, doc))) throw notFound();
    return { namespaceId: doc.namespaceId };
  };
