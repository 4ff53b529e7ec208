import { type LastResponse, type Webhook, Webhook_DisabledReason } from "@ci/proto/webhooks/v1/webhooks";
import { z } from "zod";
import { type EventName, eventSchema } from "./event-names.js";
import { namespaceCopySchema, namespaceEmbed } from "./namespace-copy.js";
import type { Relations } from "./relations.js";
import { id, record, timestamp, url } from "./schema.js";
import { time } from "./time.js";
import { namespaceUrlOf } from "./urls.js";

/** Outcome of a delivery attempt. */
export const outcome = {
  code: z.int().nullable().describe("HTTP status of the receiver; null if it did not respond"),
  duration: z.int().nonnegative().describe("How long the attempt took, in nanoseconds"),
  error: z.string().nullable().describe("Why the attempt failed; null if it succeeded"),
  created_at: timestamp.describe("When the attempt was made"),
};

export const webhookSchema = record("Webhook", "An address that the events of a namespace are sent to", {
  id: id.describe("Id of the webhook"),
  author_id: id.describe("Id of the user that created the webhook"),
  user_id: id.describe("Id of the namespace's owner"),
  namespace_id: id.describe("Id of the namespace"),
  payload_url: z.string().describe("Address that events are sent to"),
  ssl: z.boolean().describe("Whether `payload_url` must use https"),
  events: z.array(eventSchema).describe("Events that are sent"),
  filter: z
    .record(z.string(), z.array(z.union([z.string(), z.number(), z.boolean(), z.null()])))
    .nullable()
    .describe("Values by path: only events with one of the values at each path are sent; null if all are sent"),
  active: z.boolean().describe("Whether events are sent"),
  disabled_reason: z
    .enum({ ...Webhook_DisabledReason, departed: "departed" })
    .nullable()
    .describe("Why the service deactivated the webhook; null if it did not"),
  created_at: timestamp.describe("When the webhook was created"),
  url: url.nullable().describe("Address of the webhook; null if its namespace is gone"),
  namespace: namespaceCopySchema.nullable().describe("The namespace; null if it is gone"),
  last_response: z.object(outcome).nullable().describe("Outcome of the last attempt; null before the first"),
});

const lastResponseJson = ({ code, durationNs, error, createdAt }: LastResponse) => ({
  code: code ?? null,
  duration: durationNs,
  error: error ?? null,
  created_at: time(createdAt),
});

/** Returns the URL of a webhook; null if its namespace is gone. */
export const webhookUrl = (
  { id, namespaceId }: Pick<Webhook, "id" | "namespaceId">,
  relations: Relations,
): string | null => {
  const namespace = namespaceUrlOf(namespaceId, relations);
  return namespace === null ? null : `${namespace}/-/webhooks/${id}`;
};

/** Returns a webhook without its secret. */
export const webhookJson = (webhook: Webhook, relations: Relations): z.output<typeof webhookSchema> => ({
  id: webhook.id,
  author_id: webhook.authorId,
  user_id: webhook.userId,
  namespace_id: webhook.namespaceId,
  payload_url: webhook.payloadUrl,
  ssl: webhook.ssl,
  events: webhook.events as EventName[],
  filter: webhook.filter
    ? Object.fromEntries(webhook.filter.conditions.map(({ path, values }) => [path, [...values]]))
    : null,
  active: webhook.active,
  disabled_reason: webhook.departed ? "departed" : (webhook.disabledReason ?? null),
  created_at: time(webhook.createdAt),
  url: webhookUrl(webhook, relations),
  namespace: namespaceEmbed(webhook.namespaceId, relations),
  last_response: webhook.lastResponse ? lastResponseJson(webhook.lastResponse) : null,
});

export const webhookRateLimitSchema = record("WebhookRateLimit", "How fast requests are sent to a webhook", {
  per_second: z.int().nonnegative().describe("The most requests per second; 0 if there is no limit"),
});

export const webhookRateLimitJson = ({
  perSecond,
}: {
  readonly perSecond: number;
}): z.output<typeof webhookRateLimitSchema> => ({ per_second: perSecond });

const masked = "xxxxxx";

export const webhookHeadersSchema = record("WebhookHeaders", "Headers that every request to a webhook carries", {
  headers: z.record(z.string(), z.literal(masked)).describe("`xxxxxx` by name, because values are never returned"),
});

export const webhookHeadersJson = ({
  names,
}: {
  readonly names: readonly string[];
}): z.output<typeof webhookHeadersSchema> => ({
  headers: Object.fromEntries(names.map((name) => [name, masked])),
});
