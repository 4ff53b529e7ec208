import { notFound } from "@ci/kit/rpc/fault";
import type { Context } from "../context.js";
import { shown } from "../store/deliveries.js";
import { type Handlers, seeWebhook } from "./see.js";

export const getDelivery =
  (ctx: Context): Handlers["getDelivery"] =>
  async ({ namespaceId, webhookId, id }, { caller }) => {
    await seeWebhook(ctx, caller, namespaceId, webhookId);
    const delivery = await ctx.deliveries.get(webhookId, id);
    if (!delivery) throw notFound();
    return { delivery: shown(delivery) };
  };
