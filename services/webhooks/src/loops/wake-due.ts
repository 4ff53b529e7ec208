import type { Context } from "../context.js";

type Parts = Pick<Context, "deliveries" | "webhooks" | "lanes" | "now">;

/** Finds retries, and what a dead process left behind. Returns undefined if nothing is due now, but within `aheadMs`. */
export async function wakeDue({ deliveries, webhooks, lanes, now }: Parts, aheadMs: number) {
  const at = now();
  if (!(await deliveries.hasDue(new Date(at.getTime() + aheadMs)))) return 0;
  const found = await webhooks.withOwners(await deliveries.dueWebhooks(at));
  for (const webhook of found) lanes.wake(webhook, "look");
  return found.length || undefined;
}
