import { AllowRequest_Action } from "@ci/proto/namespaces/v1/accounts";
import type { Namespace } from "@ci/proto/namespaces/v1/namespaces";
import type { Context } from "../context.js";
import { idsOf, type KeptWebhook, keeperOf, type WebhookDoc } from "../store/webhook-doc.js";
import { cancelStale } from "./cancel-stale.js";

type Parts = Pick<Context, "webhooks" | "deliveries" | "uncachedAccounts">;

/** Clocks differ. Nobody escapes by activating a webhook at the moment of leaving. */
const marginMs = 1_000;

/** Returns those of the namespaces that are closed to the user. Deleted ones take their webhooks along, with a farewell. */
async function closedTo(
  { uncachedAccounts }: Parts,
  userId: number,
  ids: readonly number[],
): Promise<readonly Namespace[]> {
  const question = { userId, action: AllowRequest_Action.write, namespaceIds: [...ids] };
  const open = new Set((await uncachedAccounts.allow(question)).namespaceIds);
  const namespaceIds = ids.filter((id) => !open.has(id));
  if (namespaceIds.length === 0) return [];
  // Ask this last: a namespace that is deleted between the questions is not closed to the user alone.
  return (await uncachedAccounts.resolve({ userIds: [], namespaceIds })).namespaces;
}

async function deactivate(ctx: Parts, ids: readonly number[], userId: number, at: Date): Promise<void> {
  await ctx.webhooks.deactivateKept(ids, userId, at);
  for (const id of ids) await cancelStale(ctx, id);
}

/** Deactivates what a user who left a tree answered for there. Harmless if it comes late, or twice. */
export async function deactivateDeparted(
  ctx: Parts,
  { rootId, userId }: { readonly rootId: number; readonly userId: number },
  at: Date,
): Promise<void> {
  const until = new Date(at.getTime() + marginMs);
  let kept = await ctx.webhooks.keptBy(userId, until, 0);
  while (kept.length > 0) {
    const closed = await closedTo(ctx, userId, [...new Set(kept.map(({ namespaceId }) => namespaceId))]);
    const lost = closed.filter((namespace) => namespace.rootId === rootId).map(({ id }) => id);
    const ids = kept.filter(({ namespaceId }) => lost.includes(namespaceId)).map(({ _id }) => _id);
    await deactivate(ctx, ids, userId, until);
    kept = await ctx.webhooks.keptBy(userId, until, kept.at(-1)!._id);
  }
}

/** Deactivates webhooks whose keeper has left. If none is stored, the author becomes the keeper, unless they have left, too. */
export async function deactivateOrphans(ctx: Parts & Pick<Context, "now">, batch: readonly KeptWebhook[]) {
  const at = ctx.now();
  const unstored: number[] = [];
  const keptByMembers = batch.filter((webhook) => !webhook.departed && keeperOf(webhook) !== webhook.userId);
  for (const userId of new Set(keptByMembers.map(keeperOf))) {
    const kept = keptByMembers.filter((webhook) => keeperOf(webhook) === userId);
    const closed = await closedTo(ctx, userId, [...new Set(kept.map(({ namespaceId }) => namespaceId))]);
    const lost = new Set(closed.map(({ id }) => id));
    const orphans = kept.filter(({ namespaceId, keeperId }) => keeperId !== undefined && lost.has(namespaceId));
    if (orphans.length > 0) await deactivate(ctx, idsOf(orphans), userId, at);
    unstored.push(...idsOf(kept.filter((one) => one.keeperId === undefined && !lost.has(one.namespaceId))));
  }
  if (unstored.length > 0) await ctx.webhooks.storeKeepers(unstored);
}

/** Reports whether the member who answers for a webhook may no longer write to its namespace. */
export async function isOrphan(ctx: Parts, webhook: WebhookDoc): Promise<boolean> {
  const keeperId = keeperOf(webhook);
  return keeperId !== webhook.userId && (await closedTo(ctx, keeperId, [webhook.namespaceId])).length > 0;
}

/** Deactivates a webhook just written if the caller answers for it, and has left since the request was checked. */
export async function confirmKeeper(ctx: Parts, webhook: WebhookDoc, callerId: number): Promise<void> {
  const { _id, userId, namespaceId, activeSince } = webhook;
  if (callerId === userId || callerId !== keeperOf(webhook)) return;
  if ((await closedTo(ctx, callerId, [namespaceId])).length > 0) await deactivate(ctx, [_id], callerId, activeSince);
}
