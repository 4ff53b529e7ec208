import { notFound } from "@ci/kit/rpc/fault";
import type { Context } from "../context.js";
import { shown } from "../store/deliveries.js";
import { type Handlers, seeWebhook } from "./see.js";

export const redeliver =
  (ctx: Context): Handlers["redeliver"] =>
  async ({ namespaceId, webhookId, id }, { caller }) => {
    await seeWebhook(ctx, caller, namespaceId, webhookId);
    // One whose first attempt is still to come is on its way already.
    const delivery =
      (await ctx.deliveries.redeliver(webhookId, id, ctx.now())) ?? (await ctx.deliveries.get(webhookId, id));
    if (!delivery) throw notFound();
    ctx.lanes.wake(webhookId, "news");
    return { delivery: shown(delivery) };
  };
