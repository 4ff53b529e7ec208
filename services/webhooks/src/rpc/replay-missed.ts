import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { notFound } from "@ci/kit/rpc/fault";
import { validated } from "@ci/kit/rpc/validated";
import type { DeliveryCount } from "@ci/proto/webhooks/v1/webhooks";
import { findMissed } from "../actions/find-missed.js";
import { findWebhook } from "../actions/find-webhook.js";
import { readWanted } from "../actions/read-wanted.js";
import type { Context, Handlers } from "../context.js";
import { maxCounted, type StreamHead } from "../store/stream-heads.js";
import type { WebhookDoc } from "../store/webhook-doc.js";

const maxReadBytes = fixedLimit({
  max: 1024 ** 2,
  unit: "bytes",
  about: "payloads that the answer to a replay reads if the webhook has a filter",
  effect: "the answer says that there may be more; all are sent",
});

/** Counts the events that pass the filter among those whose payloads are read. */
async function countWanted(ctx: Context, webhook: WebhookDoc, missed: readonly StreamHead[]): Promise<DeliveryCount> {
  let bytes = 0;
  const read = missed.filter(({ payloadBytes }) => {
    const fits = bytes + payloadBytes <= maxReadBytes;
    if (fits) bytes += payloadBytes;
    return fits;
  });
  return { count: (await readWanted(ctx, webhook, read)).length, atLeast: read.length < missed.length };
}

/** Counts among the newest events only, because a day may have a million. */
async function countMissed(ctx: Context, webhook: WebhookDoc, since: Date): Promise<DeliveryCount> {
  const heads = await ctx.stream.newestHeads(webhook.namespaceId);
  const missed = await findMissed(ctx, webhook, heads, since);
  const { count, atLeast } = webhook.filter
    ? await countWanted(ctx, webhook, missed)
    : { count: missed.length, atLeast: false };
  return { count, atLeast: atLeast || (heads.length === maxCounted && heads.at(-1)!.at >= since) };
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
