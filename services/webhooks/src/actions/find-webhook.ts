import type { Caller } from "@ci/kit/rpc/caller";
import { notFound } from "@ci/kit/rpc/fault";
import { AllowRequest_Action } from "@ci/proto/namespaces/v1/accounts";
import type { Context } from "../context.js";
import type { WebhookDoc } from "../store/webhook-doc.js";

/** Throws `not_found` unless the caller is a member of the namespace. */
export async function requireMember({ accounts }: Context, { userId }: Caller, namespaceId: number): Promise<void> {
  if (userId === undefined) throw notFound();
  const action = AllowRequest_Action.write;
  const { namespaceIds } = await accounts.allow({ userId, action, namespaceIds: [namespaceId] });
  if (!namespaceIds.includes(namespaceId)) throw notFound();
}

/** Returns a webhook of a namespace that the caller is a member of; otherwise throws `not_found`. */
export async function findWebhook(ctx: Context, caller: Caller, namespaceId: number, id: number): Promise<WebhookDoc> {
  await requireMember(ctx, caller, namespaceId);
  const webhook = await ctx.webhooks.get(namespaceId, id);
  if (!webhook) throw notFound();
  return webhook;
}
