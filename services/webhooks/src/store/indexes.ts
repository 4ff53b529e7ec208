import { ensureIndexes } from "@ci/kit/mongo/mongo";
import { Delivery_Status } from "@ci/proto/webhooks/v1/webhooks";
import type { Collection } from "mongodb";
import type { DeferredEvent } from "./deferred-events.js";
import { type DeliveryDoc, oncePerEventIndex } from "./delivery-doc.js";
import type { Follower } from "./followers.js";
import type { Sender } from "./senders.js";
import type { StreamDoc } from "./stream.js";
import type { WebhookDoc } from "./webhook-doc.js";

export async function makeIndexes(
  webhooks: Collection<WebhookDoc>,
  deliveries: Collection<DeliveryDoc>,
  senders: Collection<Sender>,
) {
  await ensureIndexes(senders, [{ key: { until: 1 }, expireAfterSeconds: 3_600 }]);
  await ensureIndexes(webhooks, [
    { key: { namespaceId: 1, targetKey: 1 }, unique: true },
    { key: { namespaceId: 1, _id: 1 } },
    { key: { userId: 1 } },
    { key: { authorId: 1, _id: 1 } },
    { key: { keeperId: 1, _id: 1 }, partialFilterExpression: { keeperId: { $exists: true } } },
    { key: { "secrets.replaced.until": 1 }, sparse: true },
    { key: { userId: 1, _id: 1 }, partialFilterExpression: { "again.since": { $exists: true } } },
    {
      key: { userId: 1, _id: 1 },
      name: "replays",
      partialFilterExpression: { "replay.since": { $exists: true } },
    },
    { key: { "lastResponse.createdAt": 1 }, partialFilterExpression: { rateLimit: { $gt: 0 } } },
    { key: { disabledReason: 1 }, sparse: true },
  ]);
  await ensureIndexes(deliveries, [
    { key: { webhookId: 1, eventId: 1 }, name: oncePerEventIndex, unique: true },
    { key: { webhookId: 1, _id: -1 } },
    { key: { webhookId: 1, createdAt: 1, _id: 1 }, partialFilterExpression: { status: Delivery_Status.failed } },
    {
      key: { webhookId: 1, createdAt: 1, _id: 1 },
      name: "cancelled",
      partialFilterExpression: { status: Delivery_Status.cancelled },
    },
    // Holds pending deliveries only, so it stays small however long the log is.
    { key: { webhookId: 1, dueAt: 1, _id: 1 }, partialFilterExpression: { dueAt: { $exists: true } } },
    { key: { webhookId: 1, test: 1, _id: -1 }, partialFilterExpression: { test: true } },
    { key: { "sharedRequest.payloadId": 1 }, sparse: true },
  ]);
}

export const makeStreamIndexes = (stream: Collection<StreamDoc>) =>
  ensureIndexes(stream, [
    { key: { namespaceId: 1, _id: 1 } },
    { key: { userId: 1, _id: 1 } },
    { key: { rootId: 1, _id: 1 } },
    { key: { eventId: 1 }, unique: true },
    { key: { at: 1 } },
  ]);

export const makeFollowerIndexes = (followers: Collection<Follower>) =>
  ensureIndexes(followers, [{ key: { seenAt: 1 } }, { key: { waiting: 1 }, sparse: true }]);

export const makeDeferredIndexes = (deferred: Collection<DeferredEvent>) =>
  ensureIndexes(deferred, [
    { key: { eventId: 1 }, unique: true },
    { key: { userId: 1, _id: 1 } },
    { key: { namespaceId: 1, userId: 1 } },
  ]);
