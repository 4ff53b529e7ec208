import type { Context } from "../context.js";
import { type Handlers, seeWebhook } from "./see.js";

export const listDeliveries =
  (ctx: Context): Handlers["listDeliveries"] =>
  async ({ namespaceId, webhookId, page: asked }, { caller }) => {
    await seeWebhook(ctx, caller, namespaceId, webhookId);
    const { items, page } = await ctx.deliveries.list(webhookId, asked?.number);
    return { deliveries: items, page };
  };
