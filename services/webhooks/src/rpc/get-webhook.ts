import { findWebhook } from "../actions/find-webhook.js";
import type { Context, Handlers } from "../context.js";
import { toWebhook } from "../store/webhook-doc.js";

export const getWebhook =
  (ctx: Context): Handlers["getWebhook"] =>
  async ({ namespaceId, id }, { caller }) => ({ webhook: toWebhook(await findWebhook(ctx, caller, namespaceId, id)) });
