import { randomUUID } from "node:crypto";
import type { ReceivedEvent } from "@ci/kit/bus/event-headers";
import { Action, type Event } from "@ci/proto/events/v1/events";
import { Delivery_Status } from "@ci/proto/webhooks/v1/webhooks";
import type { Context } from "../context.js";
import { signingSecrets } from "../domain/secrets.js";
import { fixedHeaders } from "../domain/sign.js";
import { type DeliveryDoc, dueImmediately } from "../store/delivery-doc.js";
import { reencryptTexts } from "../store/encrypted-secrets.js";
import type { ShortWebhook } from "../store/webhook-doc.js";
import type { Body } from "./share-payloads.js";

/** Reports whether an event deletes its own namespace. A parent's webhooks receive it like any other change. */
export const deletesOwnNamespace = ({ body, namespaceId }: Partial<Event>): boolean =>
  body?.$case === "namespace" && body.value.action === Action.deleted && body.value.namespace?.id === namespaceId;

/** Returns a pending delivery of an event to one webhook. `now` is from before the webhook was read. */
export function newDelivery(
  { config, now }: Pick<Context, "config"> & { readonly now: Date },
  event: Pick<ReceivedEvent, "id" | "kind" | "at"> & Partial<ReceivedEvent>,
  webhook: ShortWebhook,
  id: number,
  { payload, payloadId, payloadBytes }: Body,
): DeliveryDoc {
  const deliveryId = randomUUID();
  const unsigned = { prefix: config.headerPrefix, event: event.kind, deliveryId, webhookId: webhook._id };
  const headers = fixedHeaders({ ...unsigned, secrets: [], payload });
  return {
    _id: id,
    webhookId: webhook._id,
    deliveryId,
    eventId: event.id,
    event: event.kind,
    status: Delivery_Status.pending,
    attempts: [],
    attemptCount: 0,
    createdAt: now < webhook.activeSince ? webhook.activeSince : now,
    ...(payloadId === undefined
      ? { request: { headers, payload } }
      : { sharedRequest: { headers, payloadId, payloadBytes } }),
    dueAt: dueImmediately,
    secrets: reencryptTexts(config.keyring, webhook._id, signingSecrets(webhook.secrets, event.at ?? now)),
    redelivery: false,
    asked: 0,
    trail: event.trail,
    farewell: deletesOwnNamespace(event) ? true : undefined,
  };
}
