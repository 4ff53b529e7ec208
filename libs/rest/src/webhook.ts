import type { LastResponse, Webhook } from "@ci/proto/webhooks/v1/webhooks";
import { namespaceEmbed } from "./namespace.js";
import type { Relations } from "./relations.js";
import { time } from "./time.js";
import { namespaceUrlOf } from "./urls.js";

const lastResponseJson = ({ code, durationNs, error, createdAt }: LastResponse) => ({
  code: code ?? null,
  duration: durationNs,
  error: error ?? null,
  created_at: time(createdAt),
});

/** Where a webhook lives; null when its namespace is gone. */
export const webhookUrl = (
  { id, namespaceId }: Pick<Webhook, "id" | "namespaceId">,
  known: Relations,
): string | null => {
  const namespace = namespaceUrlOf(namespaceId, known);
  return namespace === null ? null : `${namespace}/-/webhooks/${id}`;
};

/** A webhook, without its secret. */
export const webhookJson = (webhook: Webhook, known: Relations) => ({
  id: webhook.id,
  author_id: webhook.authorId,
  user_id: webhook.userId,
  namespace_id: webhook.namespaceId,
  payload_url: webhook.payloadUrl,
  ssl: webhook.ssl,
  events: webhook.events,
  active: webhook.active,
  disabled_reason: webhook.disabledReason ?? null,
  created_at: time(webhook.createdAt),
  url: webhookUrl(webhook, known),
  namespace: namespaceEmbed(webhook.namespaceId, known),
  last_response: webhook.lastResponse ? lastResponseJson(webhook.lastResponse) : null,
});
