import { notFound } from "@ci/kit/rpc/fault";
import { validated } from "@ci/kit/rpc/validated";
import type { DeliveryCount } from "@ci/proto/webhooks/v1/webhooks";
import { findMissed } from "../actions/find-missed.js";
import { findWebhook } from "../actions/find-webhook.js";
import type { Context, Handlers } from "../context.js";
import { maxCounted } from "../store/stream-heads.js";
import type { WebhookDoc } from "../store/webhook-doc.js";

/** Counts among the newest events only, because a day may have a million. */
async function countMissed(ctx: Context, webhook: WebhookDoc, since: Date): Promise<DeliveryCount> {
  const heads = await ctx.stream.newestHeads(webhook.namespaceId);
  const { length: count } = await findMissed(ctx, webhook, heads, since);
  return { count, atLeast: heads.length === maxCounted && heads.at(-1)!.at >= since };
}

export const replayMissed = (ctx: Context): Handlers["replayMissed"] =>
  validated(async ({ namespaceId, webhookId, since }, { caller }) => {
    const webhook = await findWebhook(ctx, caller, namespaceId, webhookId);
    return {
      complaints: {
        since: since ? [] : ["Since field required"],
        active: webhook.active ? [] : ["Active must be true: turn the webhook on first"],
      },
      async change() {
        const counted = await countMissed(ctx, webhook, since!);
        if (!(await ctx.webhooks.requestReplay(webhook, since!))) throw notFound();
        ctx.wakeReplay();
        return counted;
      },
    };
  });
