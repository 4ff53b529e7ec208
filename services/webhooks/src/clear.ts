import type { Parent } from "@ci/kit/mongo/deletions";
import type { Context } from "./context.js";

type Stores = Pick<Context, "webhooks" | "deliveries">;

/** Removes webhooks with their deliveries. */
export async function removeAll({ webhooks, deliveries }: Stores, ids: readonly number[]): Promise<void> {
  for (const id of ids) {
    await webhooks.remove(id);
    await deliveries.removeOf(id);
  }
}

/** Removes what is left in a deleted namespace, but not what is still to be told of the deletion. */
async function clearNamespace(ctx: Stores, namespaceId: number): Promise<void> {
  const ids = await ctx.webhooks.idsOf(namespaceId);
  const leaving = new Set(ids.length === 0 ? [] : await ctx.deliveries.withFarewell(ids));
  await removeAll(
    ctx,
    ids.filter((id) => !leaving.has(id)),
  );
}

/** Does once more what a deletion on record entails. */
export async function clear(ctx: Stores, { kind, id }: Parent): Promise<void> {
  if (kind === "namespace") return clearNamespace(ctx, id);
  for (const webhookId of await ctx.webhooks.deactivateNew(id)) await ctx.deliveries.cancel(webhookId);
}
