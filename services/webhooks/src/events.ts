import { randomUUID } from "node:crypto";
import { Action, type Event } from "@ci/proto/events/v1/events";
import { Delivery_Status } from "@ci/proto/webhooks/v1/webhooks";
import type { Context } from "./context.js";
import { signing } from "./domain/secrets.js";
import { steadyHeaders } from "./domain/sign.js";
import { payloadOf } from "./payload.js";
import { atOnce, type DeliveryDoc } from "./store/deliveries.js";
import { copiesOf } from "./store/sealed.js";
import type { WebhookDoc } from "./store/webhooks.js";

/** A namespace's own end, told to its own webhooks. (Its parent's webhooks hear of it as of any other change.) */
const ends = ({ body, namespaceId }: Event): boolean =>
  body?.$case === "namespace" && body.value.action === Action.deleted && body.value.namespace?.id === namespaceId;

function delivery(ctx: Context, event: Event, webhook: WebhookDoc, id: number, payload: string): DeliveryDoc {
  const deliveryId = randomUUID();
  const now = ctx.now();
  const unsigned = { prefix: ctx.config.headerPrefix, event: event.kind, deliveryId, webhookId: webhook._id };
  return {
    _id: id,
    webhookId: webhook._id,
    deliveryId,
    eventId: event.id,
    event: event.kind,
    status: Delivery_Status.pending,
    attempts: [],
    attemptCount: 0,
    createdAt: now,
    request: { headers: steadyHeaders({ ...unsigned, secrets: [], payload }), payload },
    dueAt: atOnce,
    secrets: copiesOf(ctx.config.keyring, webhook._id, signing(webhook.secrets, now)),
    redelivery: false,
    asked: 0,
    farewell: ends(event) ? true : undefined,
  };
}

/** Removes the webhooks of a namespace that is gone; those in `told` go after their last delivery. */
async function removeOthers(ctx: Context, namespaceId: number, told: readonly WebhookDoc[]): Promise<void> {
  const toldIds = new Set(told.map(({ _id }) => _id));
  const others = (await ctx.webhooks.idsOf(namespaceId)).filter((id) => !toldIds.has(id));
  for (const id of others) {
    await ctx.webhooks.remove(id);
    await ctx.deliveries.removeOf(id);
  }
}

/** A user who is deleted no longer sends anything anywhere. */
async function deactivateOf(ctx: Context, userId: number): Promise<void> {
  for (const id of await ctx.webhooks.deactivateOf(userId)) await ctx.deliveries.cancel(id);
}

/** Turns an event into one waiting delivery for each webhook that listens. Repeating it adds nothing. */
export async function recordEvent(ctx: Context, event: Event): Promise<void> {
  const { body, namespaceId, kind, at } = event;
  if (body?.$case === "user" && body.value.action === Action.deleted) await deactivateOf(ctx, body.value.user!.id);
  if (namespaceId === undefined) return;
  const listening = await ctx.webhooks.listening(namespaceId, kind, at ?? ctx.now());
  if (listening.length > 0) {
    const [payload, firstId] = await Promise.all([payloadOf(ctx, event), ctx.newDeliveryIds(listening.length)]);
    await ctx.deliveries.insert(listening.map((one, nth) => delivery(ctx, event, one, firstId + nth, payload)));
    for (const { _id } of listening) ctx.lanes.wake(_id, "news");
  }
  if (ends(event)) await removeOthers(ctx, namespaceId, listening);
}
