import {
  type Attempt,
  type CountDeliveriesResponse,
  type Delivery,
  Delivery_Status,
} from "@ci/proto/webhooks/v1/webhooks";
import { z } from "zod";
import { type EventName, eventSchema } from "./event-names.js";
import type { Relations } from "./relations.js";
import { id, record, timestamp, url } from "./schema.js";
import { time, timeOrNull } from "./time.js";
import { outcome, webhookUrl } from "./webhook.js";

export const deliverySchema = record("Delivery", "An event that is sent to a webhook", {
  id: id.describe("Id of the delivery"),
  delivery_id: z.uuid().describe("Id that the receiver gets, the same in every attempt"),
  event_id: z.uuid().describe("Id of the event, the same for every webhook"),
  event: eventSchema.describe("Name of the event"),
  status: z.enum(Delivery_Status).describe("Status of the delivery"),
  code: outcome.code.describe("HTTP status of the last attempt; null without a response"),
  error: outcome.error.describe("Why the last attempt failed; null if it did not"),
  duration: z.int().nullable().describe("How long the last attempt took, in nanoseconds; null before the first"),
  attempt_count: z.int().nonnegative().describe("Number of attempts so far"),
  next_attempt_at: timestamp.nullable().describe("When the next attempt is due; null if there is none"),
  created_at: timestamp.describe("When the delivery was created"),
  url: url.nullable().describe("Address of the delivery; null if the namespace is gone"),
});

const headers = z.record(z.string(), z.string());

const requestSchema = z.object({
  headers: headers.describe("Headers of the request"),
  payload: z.string().describe("Body of the request"),
});

const responseSchema = z.object({
  code: z.int().describe("HTTP status"),
  headers: headers.describe("Headers of the response"),
  body: z.string().describe("Beginning of the body"),
  truncated: z.boolean().describe("Whether the body was longer"),
});

const attemptSchema = z.object({
  number: z.int().describe("Number of the attempt, from 1"),
  redelivery: z.boolean().describe("Whether a user requested the attempt"),
  ...outcome,
});

export const fullDeliverySchema = record("FullDelivery", "A delivery with its request, last response and attempts", {
  ...deliverySchema.shape,
  request: requestSchema.describe("The request that is sent"),
  response: responseSchema.nullable().describe("The last response; null without one"),
  attempts: z.array(attemptSchema).describe("The attempts, oldest first"),
});

export const redeliveredSchema = record("Redelivered", "Deliveries that will be sent again", {
  count: z.int().describe("Number of deliveries that will be sent again, at most 1,000"),
  at_least: z.boolean().describe("Whether there may be more"),
});

export const replayedSchema = record("Replayed", "Missed events that will be sent", {
  count: z
    .int()
    .describe("Number of missed events among the newest 200 of the namespace; may include one that is being sent"),
  at_least: z.boolean().describe("Whether there may be more"),
});

const counted = ["pending", "delivered", "failed", "cancelled", "tests"] as const;
const count = z.int().nonnegative();

export const deliveryStatsSchema = record("DeliveryStats", "Counts of the deliveries in a webhook's log", {
  since: timestamp.nullable().describe("When the oldest delivery in the log was created; null if the log is empty"),
  pending: count.describe("Deliveries that wait for an attempt"),
  delivered: count
    .nullable()
    .describe("Deliveries that the receiver has accepted; null if there are too many others to tell"),
  failed: count.describe("Deliveries that failed for good"),
  cancelled: count.describe("Deliveries that were cancelled because the webhook was deactivated"),
  tests: count.describe("Tests among all these"),
  at_least: z.array(z.enum(counted)).describe("Counts that have reached their limit: the log may have more of these"),
});

export const deliveryStatsJson = (stats: CountDeliveriesResponse): z.output<typeof deliveryStatsSchema> => {
  const countOf = (name: (typeof counted)[number]) => stats[name]?.count ?? 0;
  return {
    since: timeOrNull(stats.since),
    pending: countOf("pending"),
    delivered: stats.delivered?.count ?? null,
    failed: countOf("failed"),
    cancelled: countOf("cancelled"),
    tests: countOf("tests"),
    at_least: counted.filter((name) => stats[name]?.atLeast),
  };
};

const attemptJson = ({
  number,
  redelivery,
  code,
  durationNs,
  error,
  createdAt,
}: Attempt): z.output<typeof attemptSchema> => ({
  number,
  redelivery,
  code: code ?? null,
  duration: durationNs,
  error: error ?? null,
  created_at: time(createdAt),
});

/** Returns a delivery with the outcome of its last attempt, for lists. `namespaceId` is the webhook's. */
export const deliveryJson = (
  delivery: Delivery,
  namespaceId: number,
  relations: Relations,
): z.output<typeof deliverySchema> => {
  const last = delivery.attempts.at(-1);
  const webhook = webhookUrl({ id: delivery.webhookId, namespaceId }, relations);
  return {
    id: delivery.id,
    delivery_id: delivery.deliveryId,
    event_id: delivery.eventId,
    event: delivery.event as EventName,
    status: delivery.status,
    code: last?.code ?? null,
    error: last?.error ?? null,
    duration: last?.durationNs ?? null,
    attempt_count: delivery.attemptCount,
    next_attempt_at: timeOrNull(delivery.nextAttemptAt),
    created_at: time(delivery.createdAt),
    url: webhook === null ? null : `${webhook}/deliveries/${delivery.id}`,
  };
};

/** Returns a delivery with its request, last response and all attempts. */
export const fullDeliveryJson = (
  delivery: Delivery,
  namespaceId: number,
  relations: Relations,
): z.output<typeof fullDeliverySchema> => {
  const { request, response } = delivery;
  return {
    ...deliveryJson(delivery, namespaceId, relations),
    request: { headers: request?.headers ?? {}, payload: request?.payload ?? "" },
    response: response
      ? { code: response.code, headers: response.headers, body: response.body, truncated: response.truncated }
      : null,
    attempts: delivery.attempts.map(attemptJson),
  };
};
