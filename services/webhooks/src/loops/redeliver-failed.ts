import { ownersInTurn } from "../actions/owners-in-turn.js";
import type { Context } from "../context.js";

type Parts = Pick<Context, "deliveries" | "webhooks" | "lanes">;

/** Saves the progress after each batch, so that a repeated batch finds only what has failed again. */
export const redeliverFailed = ({ deliveries, webhooks, lanes }: Parts): Promise<number | undefined> =>
  ownersInTurn(webhooks.nextRedeliveryRequest, async ({ _id, userId, again }) => {
    const { count, last } = await deliveries.redeliverFailed(_id, again!);
    await webhooks.saveRedeliveryProgress(_id, again!, last);
    if (count > 0) lanes.wake({ _id, userId }, "news");
    return count;
  });
