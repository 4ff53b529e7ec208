import { notFound } from "@ci/kit/rpc/fault";
import { completeDelivery } from "../actions/complete-delivery.js";
import { findWebhook } from "../actions/find-webhook.js";
import type { Context, Handlers } from "../context.js";

export const redeliver =
  (ctx: Context): Handlers["redeliver"] =>
  async ({ namespaceId, webhookId, id }, { caller }) => {
    const webhook = await findWebhook(ctx, caller, namespaceId, webhookId);
    // A delivery that waits for its first attempt is returned unchanged.
    const delivery =
      (await ctx.deliveries.redeliver(webhookId, id, ctx.now())) ?? (await ctx.deliveries.get(webhookId, id));
    if (!delivery) throw notFound();
    ctx.lanes.wake(webhook, "news");
    return { delivery: await completeDelivery(ctx, delivery) };
  };
