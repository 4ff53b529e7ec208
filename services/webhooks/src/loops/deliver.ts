import type { Context } from "../context.js";

/**
 * Finds every webhook that something is due for: retries whose time has come, and what a process that died,
 * or a message that got lost, left behind. Answers how many.
 */
export async function deliverDue({ deliveries, lanes, now }: Pick<Context, "deliveries" | "lanes" | "now">) {
  const due = await deliveries.dueWebhooks(now());
  for (const webhookId of due) lanes.wake(webhookId, "look");
  return due.length;
}
