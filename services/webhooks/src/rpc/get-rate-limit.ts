import { findWebhook } from "../actions/find-webhook.js";
import type { Context, Handlers } from "../context.js";

export const getRateLimit =
  (ctx: Context): Handlers["getRateLimit"] =>
  async ({ namespaceId, id }, { caller }) => ({
    perSecond: (await findWebhook(ctx, caller, namespaceId, id)).rateLimit ?? 0,
  });
