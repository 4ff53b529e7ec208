import { invalid, notFound } from "@ci/kit/rpc/fault";
import type { Context } from "../context.js";
import { type Handlers, seeWebhook } from "./see.js";

export const redeliverFailed =
  (ctx: Context): Handlers["redeliverFailed"] =>
  async ({ namespaceId, webhookId, since }, { caller }) => {
    await seeWebhook(ctx, caller, namespaceId, webhookId);
    if (!since) throw invalid({ since: ["Since field required"] });
    const count = await ctx.deliveries.countFailed(webhookId, since);
    if (!(await ctx.webhooks.sendAgain(webhookId, since))) throw notFound();
    ctx.wakeRedelivery();
    return { count };
  };
