import type { Attempt, Delivery } from "@ci/proto/webhooks/v1/webhooks";
import type { Relations } from "./relations.js";
import { time } from "./time.js";
import { webhookUrl } from "./webhook.js";

const attemptJson = ({ number, redelivery, code, durationNs, error, createdAt }: Attempt) => ({
  number,
  redelivery,
  code: code ?? null,
  duration: durationNs,
  error: error ?? null,
  created_at: time(createdAt),
});

/** A delivery as lists show it: with the outcome of its last attempt. `namespaceId` is that of its webhook. */
export const deliveryJson = (delivery: Delivery, namespaceId: number, known: Relations) => {
  const last = delivery.attempts.at(-1);
  const webhook = webhookUrl({ id: delivery.webhookId, namespaceId }, known);
  return {
    id: delivery.id,
    delivery_id: delivery.deliveryId,
    event_id: delivery.eventId,
    event: delivery.event,
    status: delivery.status,
    code: last?.code ?? null,
    error: last?.error ?? null,
    duration: last?.durationNs ?? null,
    attempt_count: delivery.attemptCount,
    next_attempt_at: time(delivery.nextAttemptAt),
    created_at: time(delivery.createdAt),
    url: webhook === null ? null : `${webhook}/deliveries/${delivery.id}`,
  };
};

/** A delivery whole: what was sent, what came back last, and every attempt. */
export const fullDeliveryJson = (delivery: Delivery, namespaceId: number, known: Relations) => {
  const { request, response } = delivery;
  return {
    ...deliveryJson(delivery, namespaceId, known),
    request: { headers: request?.headers ?? {}, payload: request?.payload ?? "" },
    response: response
      ? { code: response.code, headers: response.headers, body: response.body, truncated: response.truncated }
      : null,
    attempts: delivery.attempts.map(attemptJson),
  };
};
