import { requireMember } from "../actions/find-webhook.js";
import type { Context, Handlers } from "../context.js";
import { toWebhook } from "../store/webhook-doc.js";

export const listWebhooks =
  (ctx: Context): Handlers["listWebhooks"] =>
  async ({ namespaceId, page: requested }, { caller }) => {
    await requireMember(ctx, caller, namespaceId);
    const { items, page } = await ctx.webhooks.list(namespaceId, requested?.number);
    return { webhooks: items.map(toWebhook), page };
  };
