import { findWebhook } from "../actions/find-webhook.js";
import type { Context, Handlers } from "../context.js";
import { ownHeadersOf } from "../store/webhook-doc.js";

export const getWebhookHeaders =
  (ctx: Context): Handlers["getWebhookHeaders"] =>
  async ({ namespaceId, id }, { caller }) => ({
    names: ownHeadersOf(await findWebhook(ctx, caller, namespaceId, id)).map(({ name }) => name),
  });
