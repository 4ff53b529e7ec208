import { fullPause } from "@ci/kit/bus/full-pause";
import { type Caller, userOf } from "@ci/kit/rpc/caller";
import type { Fields } from "@ci/kit/rpc/fault";
import { complain, validated } from "@ci/kit/rpc/validated";
import type { UpdateWebhookRequest } from "@ci/proto/webhooks/v1/webhooks";
import { cancelStale } from "../actions/cancel-stale.js";
import { confirmKeeper, isOrphan } from "../actions/deactivate-departed.js";
import { findWebhook } from "../actions/find-webhook.js";
import { validateWebhook } from "../actions/validate-webhook.js";
import { waitForFirstAttempts } from "../actions/wait-for-first-attempts.js";
import type { Context, Handlers } from "../context.js";
import { subscribedKinds } from "../domain/event-kinds.js";
import { storedFilter } from "../domain/filter.js";
import { removeSecrets, replaceSecret } from "../domain/secrets.js";
import { settingsCacheMs } from "../domain/settings-cache.js";
import { originOf, targetKey } from "../domain/target.js";
import { decryptSecrets, type EncryptedSecrets, encryptSecrets, reencryptSecrets } from "../store/encrypted-secrets.js";
import { toWebhook, type WebhookChange, type WebhookDoc } from "../store/webhook-doc.js";

/** Returns secrets only if they change: a key rotation may be re-encrypting the others at this moment. */
function changedSecrets(
  { config, now }: Context,
  webhook: WebhookDoc,
  request: UpdateWebhookRequest,
): { secrets?: EncryptedSecrets } {
  if (request.removeSecret) {
    const removed = removeSecrets(webhook.secrets, now());
    return removed === webhook.secrets ? {} : { secrets: reencryptSecrets(config.keyring, webhook._id, removed) };
  }
  if (!request.secret) return {};
  const present = decryptSecrets(config.keyring, webhook._id, webhook.secrets);
  const replaced = replaceSecret(present, request.secret, now(), config.secretOverlapMs);
  return { secrets: encryptSecrets(config.keyring, webhook._id, replaced) };
}

const kindsAfter = ({ events }: WebhookDoc, request: UpdateWebhookRequest): WebhookDoc["events"] =>
  request.events ? subscribedKinds(request.events.names) : events;

async function changeOf(
  ctx: Context,
  webhook: WebhookDoc,
  request: UpdateWebhookRequest,
  callerId: number,
): Promise<WebhookChange> {
  const { active = webhook.active } = request;
  const payloadUrl = request.payloadUrl || webhook.payloadUrl;
  const activates = active && !webhook.active;
  const takesOver =
    payloadUrl !== webhook.payloadUrl || (activates && (webhook.departed || (await isOrphan(ctx, webhook))));
  return {
    payloadUrl,
    targetKey: targetKey(payloadUrl),
    ssl: request.ssl ?? webhook.ssl,
    events: kindsAfter(webhook, request),
    filter: storedFilter(request.filter ?? webhook.filter),
    active,
    activeSince: activates ? ctx.now() : webhook.activeSince,
    ...(takesOver ? { keeperId: callerId } : {}),
    ...changedSecrets(ctx, webhook, request),
    ...(originOf(payloadUrl) === originOf(webhook.payloadUrl) ? {} : { headers: undefined }),
    ...(request.active ? { disabledReason: undefined, departed: undefined, failingSince: undefined } : {}),
  };
}

function complaintsAbout(ctx: Context, webhook: WebhookDoc, request: UpdateWebhookRequest): Promise<Fields> {
  const { namespaceId, id, secret = "" } = request;
  const target = { payloadUrl: request.payloadUrl || webhook.payloadUrl, ssl: request.ssl ?? webhook.ssl };
  const changes = target.payloadUrl !== webhook.payloadUrl || target.ssl !== webhook.ssl;
  const events = request.events?.names ?? [];
  const kinds = kindsAfter(webhook, request);
  const filter = request.filter ?? (request.events && webhook.filter);
  return validateWebhook(ctx, { namespaceId, id, target: changes ? target : undefined, secret, events, kinds, filter });
}

async function update(
  ctx: Context,
  request: UpdateWebhookRequest,
  checked: WebhookDoc,
  caller: Caller,
): Promise<WebhookDoc> {
  for (;;) {
    const webhook = await findWebhook(ctx, caller, request.namespaceId, request.id);
    if (webhook.revision !== checked.revision) complain(await complaintsAbout(ctx, webhook, request));
    const changed = await ctx.webhooks.change(webhook, await changeOf(ctx, webhook, request, userOf(caller)));
    if (changed) return changed;
  }
}

export const updateWebhook = (ctx: Context): Handlers["updateWebhook"] =>
  validated(async (request, { caller }) => {
    const { namespaceId, id } = request;
    const webhook = await findWebhook(ctx, caller, namespaceId, id);
    return {
      complaints: await complaintsAbout(ctx, webhook, request),
      async change() {
        await waitForFirstAttempts(ctx, id);
        const changed = await update(ctx, request, webhook, caller);
        await fullPause(settingsCacheMs);
        await confirmKeeper(ctx, changed, caller.userId!);
        await cancelStale(ctx, id);
        return { webhook: toWebhook(changed) };
      },
    };
  });
