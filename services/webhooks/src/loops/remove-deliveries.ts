import type { Context } from "../context.js";

const maxSteps = 20;

/**
 * Removes deliveries whose webhooks are removed. A webhook that is about to be removed keeps them until then. Returns the
 * number of steps, and wakes its loop if more are left.
 */
export async function removeDeliveries({
  webhooks,
  deliveries,
  removedWebhooks,
  wakeRemoval,
}: Pick<Context, "webhooks" | "deliveries" | "removedWebhooks" | "wakeRemoval">): Promise<number> {
  let afterId = 0;
  for (let steps = 0; steps < maxSteps; ) {
    const webhookId = await removedWebhooks.next(afterId);
    if (webhookId === undefined) return steps;
    if ((await webhooks.findByIds([webhookId])).length > 0) {
      afterId = webhookId;
      continue;
    }
    if ((await deliveries.removeSome(webhookId)) === 0) await removedWebhooks.done(webhookId);
    steps++;
  }
  wakeRemoval();
  return maxSteps;
}
