import { heldCache } from "../../actions/queue/held-cache.js";
import type { Context, QueueHandlers } from "../../context.js";

export const findCache =
  (ctx: Context): QueueHandlers["findCache"] =>
  async ({ name, key, format, ...lease }) => {
    const { scope } = await heldCache(ctx, lease, { name, format });
    const found = await ctx.caches.use(scope, key, ctx.now());
    if (!found) return { exact: false };
    const { _id: id, size, sha256 } = found;
    return { entry: { id, size, sha256 }, exact: found.key === key, format };
  };
