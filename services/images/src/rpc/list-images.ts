import { notFound } from "@ci/kit/rpc/fault";
import type { Context, Handlers } from "../context.js";
import { toImage } from "../domain/image.js";
import type { Selection } from "../store/images.js";
import { allowedIn, userOf } from "./see.js";

async function selection(ctx: Context, userId: number, namespaceId: number | undefined): Promise<Selection> {
  if (namespaceId === undefined) return { userId, rootIds: (await ctx.accounts.listMemberships({ userId })).rootIds };
  if (!(await allowedIn(ctx, userId, "view", namespaceId))) throw notFound();
  return { namespaceId };
}

export const listImages =
  (ctx: Context): Handlers["listImages"] =>
  async ({ namespaceId, search, page: asked }, { caller }) => {
    const of = await selection(ctx, userOf(caller), namespaceId);
    const { items, page } = await ctx.images.list(of, search, asked?.number);
    return { images: items.map(toImage), page };
  };
