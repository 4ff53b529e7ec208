import type { Context } from "../context.js";

type Parts = Pick<Context, "deliveries" | "webhooks" | "lanes" | "now">;

/** Saves the progress after each batch, so that a repeated batch finds only what has failed again. */
export async function redeliverFailed({ deliveries, webhooks, lanes, now }: Parts): Promise<number> {
  let total = 0;
  for (;;) {
    const requested = await webhooks.withRedeliveryRequest();
    if (requested.length === 0) return total;
    for (const { _id, userId, again } of requested) {
      const { count, last } = await deliveries.redeliverFailed(_id, again!, now());
      await webhooks.saveRedeliveryProgress(_id, again!, last);
      if (count > 0) lanes.wake({ _id, userId }, "news");
      total += count;
    }
  }
}
