import { notFound } from "@ci/kit/rpc/fault";
import { validated } from "@ci/kit/rpc/validated";
import { findWebhook } from "../actions/find-webhook.js";
import type { Context, Handlers } from "../context.js";

export const redeliverFailed = (ctx: Context): Handlers["redeliverFailed"] =>
  validated(async ({ namespaceId, webhookId, since }, { caller }) => {
    await findWebhook(ctx, caller, namespaceId, webhookId);
    return {
      complaints: { since: since ? [] : ["Since field required"] },
      async change() {
        const counted = await ctx.deliveries.countUndelivered(webhookId, since!);
        if (!(await ctx.webhooks.requestRedelivery(webhookId, since!))) throw notFound();
        ctx.wakeRedelivery();
        return counted;
      },
    };
  });
