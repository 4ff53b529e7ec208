import { userOf } from "@ci/kit/rpc/caller";
import { notFound } from "@ci/kit/rpc/fault";
import { allowedIn } from "../actions/see-image.js";
import type { Context, Handlers } from "../context.js";
import { toImage } from "../domain/image.js";
import type { Selection } from "../store/images.js";

async function selection(ctx: Context, userId: number, namespaceId: number | undefined): Promise<Selection> {
  if (namespaceId === undefined) return { userId, rootIds: (await ctx.accounts.listMemberships({ userId })).rootIds };
  if (!(await allowedIn(ctx, userId, "view", namespaceId))) throw notFound();
  return { namespaceId };
}

export const listImages =
  (ctx: Context): Handlers["listImages"] =>
  async ({ namespaceId, search, page: requested }, { caller }) => {
    const selected = await selection(ctx, userOf(caller), namespaceId);
    const { items, page } = await ctx.images.list(selected, search, requested?.number);
    return { images: items.map(toImage), page };
  };
