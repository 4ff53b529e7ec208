import type { Context } from "../context.js";

type Removal = Pick<Context, "removedWebhooks" | "wakeRemoval">;

export async function removeDeliveriesOf({ removedWebhooks, wakeRemoval }: Removal, webhookIds: readonly number[]) {
  await removedWebhooks.add(webhookIds);
  wakeRemoval();
}

/** Removes webhooks. `loops/remove-deliveries.ts` removes their deliveries, also if the process dies in between. */
export async function removeWebhooks(ctx: Removal & Pick<Context, "webhooks">, ids: readonly number[]): Promise<void> {
  await ctx.removedWebhooks.add(ids);
  await ctx.webhooks.remove(ids);
  ctx.wakeRemoval();
}
