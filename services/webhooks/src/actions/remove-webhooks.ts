import type { Context } from "../context.js";

type Removal = Pick<Context, "removedWebhooks" | "wakeRemoval">;

export async function removeDeliveriesOf({ removedWebhooks, wakeRemoval }: Removal, webhookIds: readonly number[]) {
  await removedWebhooks.add(webhookIds);
  wakeRemoval();
}

/** Removes webhooks of a deleted namespace; `loops/remove-deliveries.ts` removes their deliveries. May be repeated. */
export async function removeWebhooks(ctx: Removal & Pick<Context, "webhooks">, ids: readonly number[]): Promise<void> {
  // In this order: if the process dies in between, the webhooks are found again.
  await removeDeliveriesOf(ctx, ids);
  await ctx.webhooks.remove(ids);
}
