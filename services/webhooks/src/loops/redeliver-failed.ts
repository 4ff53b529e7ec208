import type { Context } from "../context.js";

type Parts = Pick<Context, "deliveries" | "webhooks" | "lanes" | "now">;

/**
 * Makes the failed deliveries due that somebody asked for, some of each webhook in turn until all are; answers how
 * many. How far it came is written after each step: who repeats one finds little that has failed again.
 */
export async function redeliverFailed({ deliveries, webhooks, lanes, now }: Parts): Promise<number> {
  let total = 0;
  for (;;) {
    const asked = await webhooks.askedAgain();
    if (asked.length === 0) return total;
    for (const { _id, again } of asked) {
      const { count, last } = await deliveries.redeliverFailed(_id, again!, now());
      await webhooks.sentAgain(_id, again!, last);
      if (count > 0) lanes.wake(_id, "news");
      total += count;
    }
  }
}
