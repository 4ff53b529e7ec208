import type { Context } from "../context.js";

/** Finds retries, and what a dead process or a lost message left behind. */
export async function wakeDue({ deliveries, lanes, now }: Pick<Context, "deliveries" | "lanes" | "now">) {
  const webhookIds = await deliveries.dueWebhooks(now());
  for (const webhookId of webhookIds) lanes.wake(webhookId, "look");
  return webhookIds.length;
}
