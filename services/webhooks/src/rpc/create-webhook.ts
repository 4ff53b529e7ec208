import { validated } from "@ci/kit/rpc/validated";
import { confirmKeeper } from "../actions/deactivate-departed.js";
import { findNamespace } from "../actions/find-namespace.js";
import { requireMember } from "../actions/find-webhook.js";
import { validateWebhook } from "../actions/validate-webhook.js";
import type { Context, Handlers } from "../context.js";
import { subscribedKinds } from "../domain/event-kinds.js";
import { storedFilter } from "../domain/filter.js";
import { targetKey } from "../domain/target.js";
import { encryptSecrets } from "../store/encrypted-secrets.js";
import { toWebhook, type WebhookDoc } from "../store/webhook-doc.js";

export const createWebhook = (ctx: Context): Handlers["createWebhook"] =>
  validated(async ({ namespaceId, payloadUrl, secret, ssl, active = true, events, filter }, { caller }) => {
    await requireMember(ctx, caller, namespaceId);
    const { userId } = await findNamespace(ctx, namespaceId);
    const kinds = subscribedKinds(events);
    return {
      complaints: {
        ...(await ctx.webhooks.quotaComplaints(userId)),
        ...(await validateWebhook(ctx, { namespaceId, target: { payloadUrl, ssl }, secret, events, kinds, filter })),
      },
      async change() {
        const id = await ctx.newWebhookId();
        const now = ctx.now();
        const webhook: WebhookDoc = {
          _id: id,
          authorId: caller.userId!,
          keeperId: caller.userId!,
          userId,
          namespaceId,
          payloadUrl,
          ssl,
          events: kinds,
          filter: storedFilter(filter),
          active,
          createdAt: now,
          targetKey: targetKey(payloadUrl),
          secrets: encryptSecrets(ctx.config.keyring, id, { current: secret || undefined, earlier: [] }),
          activeSince: now,
          revision: 1,
        };
        await ctx.webhooks.insert(webhook);
        ctx.deletions.created(webhook);
        await confirmKeeper(ctx, webhook, caller.userId!);
        return { webhook: toWebhook(webhook) };
      },
    };
  });
