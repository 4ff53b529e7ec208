import type { Context } from "../context.js";
import { shown } from "../store/webhooks.js";
import { enter, type Handlers } from "./see.js";

export const listWebhooks =
  (ctx: Context): Handlers["listWebhooks"] =>
  async ({ namespaceId, page: asked }, { caller }) => {
    await enter(ctx, caller, namespaceId);
    const { items, page } = await ctx.webhooks.list(namespaceId, asked?.number);
    return { webhooks: items.map(shown), page };
  };
