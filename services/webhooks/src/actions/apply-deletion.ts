import type { Parent } from "@ci/kit/mongo/deletions";
import type { Context } from "../context.js";
import { cancelStale } from "./cancel-stale.js";
import { removeWebhooks } from "./remove-webhooks.js";

type Stores = Pick<Context, "webhooks" | "deliveries" | "deletions">;
type Parts = Stores & Pick<Context, "removedWebhooks" | "wakeRemoval">;

/** Removes the webhooks of a deleted namespace, except those that still have to deliver its deletion. */
export async function removeInNamespace(ctx: Parts, namespaceId: number): Promise<void> {
  const ids = await ctx.webhooks.idsInNamespace(namespaceId);
  const leaving = new Set(ids.length === 0 ? [] : await ctx.deliveries.withFarewell(ids));
  await removeWebhooks(
    ctx,
    ids.filter((id) => !leaving.has(id)),
  );
}

/** Deactivates what was active when a user was deleted. Only then it records the deletion, because this is not done again. */
export async function deactivateOfUser(ctx: Stores, userId: number, at: Date): Promise<void> {
  for (const id of await ctx.webhooks.deactivateOfUser(userId, at)) await cancelStale(ctx, id);
  await ctx.deletions.record([{ kind: "user", id: userId }]);
}

/** Applies a recorded deletion to webhooks that were created meanwhile. May be repeated. */
export async function applyDeletion(ctx: Parts, { kind, id }: Parent): Promise<void> {
  if (kind === "namespace") return removeInNamespace(ctx, id);
  for (const webhookId of await ctx.webhooks.deactivateNew(id)) await cancelStale(ctx, webhookId);
}
