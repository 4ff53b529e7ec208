import { Delivery, Webhook } from "@ci/proto/webhooks/v1/webhooks";
import { childJson, onDay, relations, stamp, url } from "../test/sample.js";
import { deliveryJson, fullDeliveryJson } from "./delivery.js";
import { webhookJson } from "./webhook.js";

const webhook = Webhook.fromPartial({
  ...{ id: 3, authorId: 2, userId: 1, namespaceId: 11, payloadUrl: "https://example.com/in", ssl: true },
  ...{ events: ["build.submitted", "cron"], active: true, createdAt: onDay(5) },
});
const webhookRecord = {
  ...{ id: 3, author_id: 2, user_id: 1, namespace_id: 11, payload_url: "https://example.com/in", ssl: true },
  ...{ events: ["build.submitted", "cron"], filter: null, active: true, disabled_reason: null, created_at: stamp(5) },
  ...{ url: `${url}/n/ada/acme/web/-/webhooks/3`, namespace: childJson, last_response: null },
};
const failing = Webhook.fromPartial({
  ...webhook,
  ...{ active: false, disabledReason: "failing" },
  lastResponse: { durationNs: 12_345, error: "timeout", createdAt: onDay(6) },
});

const waiting = Delivery.fromPartial({
  ...{ id: 9, webhookId: 3, deliveryId: "d-1", eventId: "e-1", event: "cron", createdAt: onDay(5) },
  request: { headers: { Accept: "*/*" }, payload: "{}" },
});
const waitingRecord = {
  ...{ id: 9, delivery_id: "d-1", event_id: "e-1", event: "cron", status: "pending" },
  ...{ code: null, error: null, duration: null, attempt_count: 0, next_attempt_at: null, created_at: stamp(5) },
  url: `${url}/n/ada/acme/web/-/webhooks/3/deliveries/9`,
};
const refused = { number: 1, redelivery: false, durationNs: 7, error: "connection refused", createdAt: onDay(6) };
const tried = Delivery.fromPartial({
  ...waiting,
  ...{ attemptCount: 2, nextAttemptAt: onDay(8) },
  attempts: [
    refused,
    { number: 2, redelivery: true, code: 503, durationNs: 8, error: "unavailable", createdAt: onDay(7) },
  ],
  response: { code: 503, headers: { server: "x" }, body: "later", truncated: true },
});
const triedRecord = {
  ...waitingRecord,
  ...{ code: 503, error: "unavailable", duration: 8, attempt_count: 2, next_attempt_at: stamp(8) },
};

test.each<[string, object, object]>([
  ["webhook", webhookJson(webhook, relations), webhookRecord],
  [
    "webhook disabled after failures",
    webhookJson(failing, relations),
    {
      ...webhookRecord,
      ...{ active: false, disabled_reason: "failing" },
      last_response: { code: null, duration: 12_345, error: "timeout", created_at: stamp(6) },
    },
  ],
  [
    "webhook with a filter",
    webhookJson(
      { ...webhook, filter: { conditions: [{ path: "status", values: ["failed", 5, true, null] }] } },
      relations,
    ),
    { ...webhookRecord, filter: { status: ["failed", 5, true, null] } },
  ],
  [
    "webhook of a member who has left",
    webhookJson({ ...webhook, active: false, departed: true }, relations),
    { ...webhookRecord, active: false, disabled_reason: "departed" },
  ],
  ["delivery in a list without attempts", deliveryJson(waiting, 11, relations), waitingRecord],
  ["delivery in a list", deliveryJson(tried, 11, relations), triedRecord],
  [
    "delivery without attempts",
    fullDeliveryJson(waiting, 11, relations),
    { ...waitingRecord, request: { headers: { Accept: "*/*" }, payload: "{}" }, response: null, attempts: [] },
  ],
  [
    "delivery",
    fullDeliveryJson(tried, 11, relations),
    {
      ...triedRecord,
      request: { headers: { Accept: "*/*" }, payload: "{}" },
      response: { code: 503, headers: { server: "x" }, body: "later", truncated: true },
      attempts: [
        { number: 1, redelivery: false, code: null, duration: 7, error: "connection refused", created_at: stamp(6) },
        { number: 2, redelivery: true, code: 503, duration: 8, error: "unavailable", created_at: stamp(7) },
      ],
    },
  ],
])("%s has its documented JSON", (_, json, expected) => {
  expect(json).toStrictEqual(expected);
});
