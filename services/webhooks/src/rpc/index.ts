import type { Context, Handlers } from "../context.js";
import { countDeliveries } from "./count-deliveries.js";
import { createWebhook } from "./create-webhook.js";
import { deleteWebhook } from "./delete-webhook.js";
import { getDelivery } from "./get-delivery.js";
import { getRateLimit } from "./get-rate-limit.js";
import { getWebhook } from "./get-webhook.js";
import { getWebhookHeaders } from "./get-webhook-headers.js";
import { listDeliveries } from "./list-deliveries.js";
import { listWebhooks } from "./list-webhooks.js";
import { redeliver } from "./redeliver.js";
import { redeliverFailed } from "./redeliver-failed.js";
import { replayMissed } from "./replay-missed.js";
import { setRateLimit } from "./set-rate-limit.js";
import { setWebhookHeaders } from "./set-webhook-headers.js";
import { testWebhook } from "./test-webhook.js";
import { updateWebhook } from "./update-webhook.js";
import { watchEvents } from "./watch-events.js";
import { watchOwnEvents } from "./watch-own-events.js";

export const handlers = (ctx: Context): Handlers => ({
  createWebhook: createWebhook(ctx),
  getWebhook: getWebhook(ctx),
  listWebhooks: listWebhooks(ctx),
  updateWebhook: updateWebhook(ctx),
  deleteWebhook: deleteWebhook(ctx),
  getWebhookHeaders: getWebhookHeaders(ctx),
  setWebhookHeaders: setWebhookHeaders(ctx),
  getRateLimit: getRateLimit(ctx),
  setRateLimit: setRateLimit(ctx),
  countDeliveries: countDeliveries(ctx),
  listDeliveries: listDeliveries(ctx),
  getDelivery: getDelivery(ctx),
  redeliver: redeliver(ctx),
  watchEvents: watchEvents(ctx),
  watchOwnEvents: watchOwnEvents(ctx),
  redeliverFailed: redeliverFailed(ctx),
  replayMissed: replayMissed(ctx),
  testWebhook: testWebhook(ctx),
});
