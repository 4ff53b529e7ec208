import { deactivateOrphans } from "../actions/deactivate-departed.js";
import type { Context } from "../context.js";

type Parts = Pick<Context, "webhooks" | "deliveries" | "uncachedAccounts" | "now">;

/** Deactivates the webhooks of members who left although NATS lost the event. Its loop may always rest. */
export async function findDeparted(ctx: Parts): Promise<0> {
  let batch = await ctx.webhooks.after(0);
  while (batch.length > 0) {
    await deactivateOrphans(ctx, batch);
    batch = await ctx.webhooks.after(batch.at(-1)!._id);
  }
  return 0;
}
