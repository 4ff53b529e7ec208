import type { Context } from "../context.js";

type Parts = Pick<Context, "deliveries" | "webhooks" | "lanes" | "now">;

/** Finds retries, and what a dead process or a lost message left behind. */
export async function wakeDue({ deliveries, webhooks, lanes, now }: Parts) {
  const found = await webhooks.withOwners(await deliveries.dueWebhooks(now()));
  for (const webhook of found) lanes.wake(webhook, "look");
  return found.length;
}
