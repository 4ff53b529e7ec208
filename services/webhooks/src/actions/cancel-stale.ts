import type { Context } from "../context.js";
import type { WebhookDoc } from "../store/webhook-doc.js";

/** Cancels what a webhook, deactivated at any time before, no longer sends. Returns the webhook. It may be repeated. */
export async function cancelStale(
  { webhooks, deliveries }: Pick<Context, "webhooks" | "deliveries">,
  webhookId: number,
): Promise<WebhookDoc | undefined> {
  // Read this first: later deliveries may belong to an activation that comes after the look at the webhook.
  const lastId = await deliveries.lastId(webhookId);
  const [webhook] = await webhooks.findByIds([webhookId]);
  if (webhook && lastId !== undefined) await deliveries.cancel(webhook, lastId);
  return webhook;
}
