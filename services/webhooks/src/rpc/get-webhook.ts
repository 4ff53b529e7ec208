import type { Context } from "../context.js";
import { shown } from "../store/webhooks.js";
import { type Handlers, seeWebhook } from "./see.js";

export const getWebhook =
  (ctx: Context): Handlers["getWebhook"] =>
  async ({ namespaceId, id }, { caller }) => ({ webhook: shown(await seeWebhook(ctx, caller, namespaceId, id)) });
