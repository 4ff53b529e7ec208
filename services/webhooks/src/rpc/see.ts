import type { Caller } from "@ci/kit/rpc/caller";
import { notFound } from "@ci/kit/rpc/fault";
import type { Call } from "@ci/kit/rpc/rpc";
import { AllowRequest_Action } from "@ci/proto/namespaces/v1/accounts";
import type { WebhookServiceImplementation } from "@ci/proto/webhooks/v1/webhooks";
import type { Context } from "../context.js";
import type { WebhookDoc } from "../store/webhooks.js";

export type Handlers = Required<WebhookServiceImplementation<Call>>;

/** Not found unless the caller is a member of the namespace. */
export async function enter({ accounts }: Context, { userId }: Caller, namespaceId: number): Promise<void> {
  if (userId === undefined) throw notFound();
  const action = AllowRequest_Action.write;
  const { namespaceIds } = await accounts.allow({ userId, action, namespaceIds: [namespaceId] });
  if (!namespaceIds.includes(namespaceId)) throw notFound();
}

/** A webhook of a namespace that the caller is a member of, or not found. */
export async function seeWebhook(ctx: Context, caller: Caller, namespaceId: number, id: number): Promise<WebhookDoc> {
  await enter(ctx, caller, namespaceId);
  const webhook = await ctx.webhooks.get(namespaceId, id);
  if (!webhook) throw notFound();
  return webhook;
}
