import { randomUUID } from "node:crypto";
import type { ReceivedEvent } from "@ci/kit/bus/event-headers";
import { Action, type Event } from "@ci/proto/events/v1/events";
import { Delivery_Status } from "@ci/proto/webhooks/v1/webhooks";
import { removeAll } from "./clear.js";
import type { Context } from "./context.js";
import { signing } from "./domain/secrets.js";
import { steadyHeaders } from "./domain/sign.js";
import { payloadsOf } from "./payload.js";
import { atOnce, type DeliveryDoc } from "./store/deliveries.js";
import { copiesOf } from "./store/sealed.js";
import type { WebhookDoc } from "./store/webhooks.js";

/** A namespace's own end, told to its own webhooks. (Its parent's webhooks hear of it as of any other change.) */
const ends = ({ body, namespaceId }: Event): boolean =>
  body?.$case === "namespace" && body.value.action === Action.deleted && body.value.namespace?.id === namespaceId;

function delivery(ctx: Context, event: ReceivedEvent, webhook: WebhookDoc, id: number, payload: string): DeliveryDoc {
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
    trail: event.trail,
    farewell: ends(event) ? true : undefined,
  };
}

/** Removes the webhooks of a deleted namespace; those in `told` go after their last delivery. */
async function removeOthers(ctx: Context, namespaceId: number, told: readonly WebhookDoc[]): Promise<void> {
  await ctx.deletions.record([{ kind: "namespace", id: namespaceId }]);
  const toldIds = new Set(told.map(({ _id }) => _id));
  await removeAll(
    ctx,
    (await ctx.webhooks.idsOf(namespaceId)).filter((id) => !toldIds.has(id)),
  );
}

/** A user who is deleted no longer sends anything anywhere. */
async function deactivateOf(ctx: Context, userId: number): Promise<void> {
  await ctx.deletions.record([{ kind: "user", id: userId }]);
  for (const id of await ctx.webhooks.deactivateOf(userId)) await ctx.deliveries.cancel(id);
}

/** One event and the webhooks that are told of it. */
interface Telling {
  readonly event: ReceivedEvent;
  readonly listening: readonly WebhookDoc[];
}

/** Who is told of each of these events, without those that nobody is told of. */
async function tellings(ctx: Context, events: readonly ReceivedEvent[]): Promise<Telling[]> {
  const namespaceIds = [...new Set(events.flatMap(({ namespaceId }) => namespaceId ?? []))];
  if (namespaceIds.length === 0) return [];
  const active = await ctx.webhooks.activeOf(namespaceIds);
  const told = events.map((event) => {
    const { namespaceId, kind, at = ctx.now() } = event;
    const theirs = active.filter((one) => one.namespaceId === namespaceId);
    return { event, listening: theirs.filter((one) => one.events.includes(kind) && one.activeSince <= at) };
  });
  return told.filter(({ listening }) => listening.length > 0);
}

/** One waiting delivery for each webhook that listens, in order of the events; answers the webhooks of each. */
async function add(ctx: Context, events: readonly ReceivedEvent[]): Promise<Telling[]> {
  const told = await tellings(ctx, events);
  const count = told.reduce((sum, { listening }) => sum + listening.length, 0);
  if (count === 0) return told;
  const bodies = payloadsOf(
    ctx,
    told.map(({ event }) => event),
  );
  const [payloads, firstId] = await Promise.all([bodies, ctx.newDeliveryIds(count)]);
  let id = firstId;
  const docs = told.flatMap(({ event, listening }, nth) =>
    listening.map((webhook) => delivery(ctx, event, webhook, id++, payloads[nth]!)),
  );
  await ctx.fresh.storing(docs, () => ctx.deliveries.insert(docs));
  for (const webhookId of new Set(docs.map(({ webhookId }) => webhookId))) ctx.lanes.wake(webhookId, "fresh");
  return told;
}

/** After this event there are fewer webhooks, or fewer that are active: those that come later are looked at anew. */
const changesListeners = (event: Event): boolean =>
  ends(event) || (event.body?.$case === "user" && event.body.value.action === Action.deleted);

async function recordSome(ctx: Context, events: readonly ReceivedEvent[]): Promise<void> {
  const last = events.at(-1)!;
  const { body, namespaceId } = last;
  const told = await add(ctx, events);
  if (body?.$case === "user" && body.value.action === Action.deleted) await deactivateOf(ctx, body.value.user!.id);
  const ended = told.find(({ event }) => event === last)?.listening ?? [];
  if (ends(last)) await removeOthers(ctx, namespaceId!, ended);
}

/** Turns events, in order, into one waiting delivery for each webhook that listens. Repeating it adds nothing. */
export async function recordEvents(ctx: Context, events: readonly ReceivedEvent[]): Promise<void> {
  let some: ReceivedEvent[] = [];
  for (const event of events) {
    some.push(event);
    if (!changesListeners(event)) continue;
    await recordSome(ctx, some);
    some = [];
  }
  if (some.length > 0) await recordSome(ctx, some);
}
