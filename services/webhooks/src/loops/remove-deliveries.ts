import type { Context } from "../context.js";

const maxSteps = 20;

/** Removes deliveries whose webhooks are removed. Returns the number of steps; call it again at once if `more` are left. */
export async function removeDeliveries({
  deliveries,
  removedWebhooks,
}: Pick<Context, "deliveries" | "removedWebhooks">): Promise<{ steps: number; more: boolean }> {
  for (let steps = 0; steps < maxSteps; steps++) {
    const webhookId = await removedWebhooks.next();
    if (webhookId === undefined) return { steps, more: false };
    if ((await deliveries.removeSome(webhookId)) === 0) await removedWebhooks.done(webhookId);
  }
  return { steps: maxSteps, more: true };
}
