import { setTimeout as pause } from "node:timers/promises";
import { notFound } from "@ci/kit/rpc/fault";
import type { UpdateWebhookRequest } from "@ci/proto/webhooks/v1/webhooks";
import type { Context } from "../context.js";
import { listened } from "../domain/identifiers.js";
import { trustMs } from "../domain/lane.js";
import { replaced } from "../domain/secrets.js";
import { targetKey } from "../domain/target.js";
import { openSecrets, type SealedSecrets, sealSecrets } from "../store/sealed.js";
import { shown, type WebhookChange, type WebhookDoc } from "../store/webhooks.js";
import { check } from "./complaints.js";
import { type Handlers, seeWebhook } from "./see.js";

const lookEveryMs = 20;

/** What was emitted before the change goes out as it was, unless the receiver takes too long. */
async function firstAttempts({ deliveries, config }: Context, webhookId: number): Promise<void> {
  const endsAt = performance.now() + config.patchWaitMs;
  while (performance.now() < endsAt && (await deliveries.firstPending(webhookId))) await pause(lookEveryMs);
}

/** Only if they change: those that stay may be sealed with another key at this moment. */
function newSecrets(
  { config, now }: Context,
  webhook: WebhookDoc,
  ask: UpdateWebhookRequest,
): { secrets?: SealedSecrets } {
  if (ask.removeSecret) return { secrets: { earlier: [] } };
  if (!ask.secret) return {};
  const held = openSecrets(config.keyring, webhook._id, webhook.secrets);
  const after = replaced(held, ask.secret, now(), config.secretOverlapMs);
  return { secrets: sealSecrets(config.keyring, webhook._id, after) };
}

/** What the request makes of the webhook. An empty URL or secret counts as not given. */
function changed(ctx: Context, webhook: WebhookDoc, ask: UpdateWebhookRequest): WebhookChange {
  const { active = webhook.active } = ask;
  const payloadUrl = ask.payloadUrl || webhook.payloadUrl;
  return {
    payloadUrl,
    targetKey: targetKey(payloadUrl),
    ssl: ask.ssl ?? webhook.ssl,
    events: ask.events ? listened(ask.events.names) : webhook.events,
    active,
    activeSince: active && !webhook.active ? ctx.now() : webhook.activeSince,
    ...newSecrets(ctx, webhook, ask),
    ...(ask.active ? { disabledReason: undefined, failingSince: undefined } : {}),
  };
}

/** Makes the change; to what somebody else left when they changed the webhook at the same time. */
async function change(ctx: Context, ask: UpdateWebhookRequest): Promise<WebhookDoc> {
  for (;;) {
    const webhook = await ctx.webhooks.get(ask.namespaceId, ask.id);
    if (!webhook) throw notFound();
    const after = await ctx.webhooks.change(webhook, changed(ctx, webhook, ask));
    if (after) return after;
  }
}

export const updateWebhook =
  (ctx: Context): Handlers["updateWebhook"] =>
  async (ask, { caller }) => {
    const { namespaceId, id, secret = "" } = ask;
    const webhook = await seeWebhook(ctx, caller, namespaceId, id);
    const target = { payloadUrl: ask.payloadUrl || webhook.payloadUrl, ssl: ask.ssl ?? webhook.ssl };
    const moves = target.payloadUrl !== webhook.payloadUrl || target.ssl !== webhook.ssl;
    await check(ctx, { namespaceId, id, target: moves ? target : undefined, secret, events: ask.events?.names ?? [] });
    await firstAttempts(ctx, id);
    const after = await change(ctx, ask);
    await pause(trustMs);
    if (!after.active) await ctx.deliveries.cancel(id);
    return { webhook: shown(after) };
  };
