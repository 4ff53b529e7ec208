import { notFound } from "@ci/kit/rpc/fault";
import type { Context } from "../context.js";
import { listened } from "../domain/identifiers.js";
import { targetKey } from "../domain/target.js";
import { sealSecrets } from "../store/sealed.js";
import { shown, type WebhookDoc } from "../store/webhooks.js";
import { check } from "./complaints.js";
import { enter, type Handlers } from "./see.js";

/** The owner of a namespace, whose its webhooks are. */
async function ownerOf({ accounts }: Context, namespaceId: number): Promise<number> {
  const { namespaces } = await accounts.resolve({ userIds: [], namespaceIds: [namespaceId] });
  const namespace = namespaces.find(({ id }) => id === namespaceId);
  if (!namespace) throw notFound();
  return namespace.userId;
}

export const createWebhook =
  (ctx: Context): Handlers["createWebhook"] =>
  async ({ namespaceId, payloadUrl, secret, ssl, active = true, events }, { caller }) => {
    await enter(ctx, caller, namespaceId);
    await check(ctx, { namespaceId, target: { payloadUrl, ssl }, secret, events });
    const [userId, id] = await Promise.all([ownerOf(ctx, namespaceId), ctx.newWebhookId()]);
    const now = ctx.now();
    const webhook: WebhookDoc = {
      _id: id,
      authorId: caller.userId!,
      userId,
      namespaceId,
      payloadUrl,
      ssl,
      events: listened(events),
      active,
      createdAt: now,
      targetKey: targetKey(payloadUrl),
      secrets: sealSecrets(ctx.config.keyring, id, { current: secret || undefined, earlier: [] }),
      activeSince: now,
      revision: 1,
    };
    await ctx.webhooks.insert(webhook);
    ctx.deletions.created(webhook);
    return { webhook: shown(webhook) };
  };
