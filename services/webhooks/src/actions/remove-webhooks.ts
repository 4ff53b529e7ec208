import type { Context } from "../context.js";

export async function removeWebhooks(
  { webhooks, deliveries }: Pick<Context, "webhooks" | "deliveries">,
  ids: readonly number[],
): Promise<void> {
  for (const id of ids) {
    await webhooks.remove(id);
    await deliveries.removeOf(id);
  }
}
