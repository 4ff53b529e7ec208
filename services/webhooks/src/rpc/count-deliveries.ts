import { findWebhook } from "../actions/find-webhook.js";
import type { Context, Handlers } from "../context.js";

export const countDeliveries =
  (ctx: Context): Handlers["countDeliveries"] =>
  async ({ namespaceId, webhookId }, { caller }) => {
    await findWebhook(ctx, caller, namespaceId, webhookId);
    return ctx.deliveries.counts(webhookId);
  };
