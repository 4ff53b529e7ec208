import type { Context } from "../context.js";

type Parts = Pick<Context, "deliveries" | "webhooks" | "lanes" | "now">;

/**
 * Owners take turns of one batch. Saves the progress after each batch, so that a repeated batch finds only what has failed
 * again.
 */
export async function redeliverFailed({ deliveries, webhooks, lanes, now }: Parts): Promise<number> {
  let total = 0;
  for (let ownerId = 0; ; ) {
    const next = await webhooks.nextRedeliveryRequest(ownerId);
    if (!next && ownerId === 0) return total;
    ownerId = next?.userId ?? 0;
    if (!next) continue;
    const { _id, userId, again } = next;
    const { count, last } = await deliveries.redeliverFailed(_id, again!, now());
    await webhooks.saveRedeliveryProgress(_id, again!, last);
    if (count > 0) lanes.wake({ _id, userId }, "news");
    total += count;
  }
}
