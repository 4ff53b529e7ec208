import { findWebhook } from "../actions/find-webhook.js";
import type { Context, Handlers } from "../context.js";

export const listDeliveries =
  (ctx: Context): Handlers["listDeliveries"] =>
  async ({ namespaceId, webhookId, page: requested, failed }, { caller }) => {
    await findWebhook(ctx, caller, namespaceId, webhookId);
    const { items, page } = await ctx.deliveries.list({ webhookId, failed }, requested?.number);
    return { deliveries: items, page };
  };
