import { notFound } from "@ci/kit/rpc/fault";
import { completeDelivery } from "../actions/complete-delivery.js";
import { findWebhook } from "../actions/find-webhook.js";
import type { Context, Handlers } from "../context.js";

export const getDelivery =
  (ctx: Context): Handlers["getDelivery"] =>
  async ({ namespaceId, webhookId, id }, { caller }) => {
    await findWebhook(ctx, caller, namespaceId, webhookId);
    const delivery = await ctx.deliveries.get(webhookId, id);
    if (!delivery) throw notFound();
    return { delivery: await completeDelivery(ctx, delivery) };
  };
