import { invalid, notFound } from "@ci/kit/rpc/fault";
import { findWebhook } from "../actions/find-webhook.js";
import type { Context, Handlers } from "../context.js";

export const redeliverFailed =
  (ctx: Context): Handlers["redeliverFailed"] =>
  async ({ namespaceId, webhookId, since }, { caller }) => {
    await findWebhook(ctx, caller, namespaceId, webhookId);
    if (!since) throw invalid({ since: ["Since field required"] });
    const count = await ctx.deliveries.countFailed(webhookId, since);
    if (!(await ctx.webhooks.requestRedelivery(webhookId, since))) throw notFound();
    ctx.wakeRedelivery();
    return { count };
  };
