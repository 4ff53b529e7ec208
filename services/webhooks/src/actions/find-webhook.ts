import type { Caller } from "@ci/kit/rpc/caller";
import { notFound } from "@ci/kit/rpc/fault";
import { AllowRequest_Action } from "@ci/proto/namespaces/v1/accounts";
import type { Context } from "../context.js";
import type { WebhookDoc } from "../store/webhook-doc.js";

/** Returns those of the namespaces that the user is a member of. */
export async function memberOf({ accounts }: Context, userId: number, ids: readonly number[]): Promise<Set<number>> {
  const { namespaceIds } = await accounts.allow({ userId, action: AllowRequest_Action.write, namespaceIds: [...ids] });
  return new Set(namespaceIds);
}

/** Throws `not_found` unless the caller is a member of the namespace. */
export async function requireMember(ctx: Context, { userId }: Caller, namespaceId: number): Promise<void> {
  if (userId === undefined || !(await memberOf(ctx, userId, [namespaceId])).has(namespaceId)) throw notFound();
}

/** Returns a webhook of a namespace that the caller is a member of; otherwise throws `not_found`. */
export async function findWebhook(ctx: Context, caller: Caller, namespaceId: number, id: number): Promise<WebhookDoc> {
  const webhook = await ctx.webhooks.get(namespaceId, id);
  if (!webhook) throw notFound();
  await requireMember(ctx, caller, namespaceId);
  return webhook;
}
