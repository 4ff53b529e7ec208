import type { ReceivedEvent } from "@ci/kit/bus/event-headers";
import type { Context } from "../context.js";
import type { Rendered } from "../delivery/render-once.js";
import { matches } from "../domain/filter.js";
import type { ShortWebhook } from "../store/webhook-doc.js";
import type { Listened } from "./find-listening.js";
import { newDelivery } from "./new-delivery.js";
import { type Body, sharePayloads } from "./share-payloads.js";
import { slices } from "./slices.js";

interface Addressed {
  readonly event: ReceivedEvent;
  readonly webhook: ShortWebhook;
  readonly body: Body;
}

function* addressed(listened: readonly Listened[], bodies: readonly Body[]): Generator<Addressed> {
  for (const [index, { event, webhooks }] of listened.entries())
    for (const webhook of webhooks) yield { event, webhook, body: bodies[index]! };
}

const ownBytes = ({ body: { payload, payloadId } }: Addressed): number =>
  payloadId === undefined ? payload.length : 0;

/** Leaves out what the webhooks' filters exclude. */
function filtered(listened: readonly Listened[], payloads: readonly Rendered[]): Listened[] {
  return listened.map(({ event, webhooks }, index) => ({
    event,
    webhooks: webhooks.filter(({ filter }) => matches(filter, payloads[index]!.record)),
  }));
}

/**
 * Stores a pending delivery for each webhook whose filter the event passes. `now` is from before the webhooks were read.
 * Repeating it adds nothing.
 */
export async function addDeliveries(ctx: Context, listened: readonly Listened[], now: Date): Promise<void> {
  if (listened.length === 0) return;
  const payloads = await ctx.renderPayloads(listened.map(({ event }) => event));
  const wanted = filtered(listened, payloads);
  const texts = payloads.map(({ text }) => text);
  const receivers = wanted.map(({ webhooks }) => webhooks.length);
  const bodies = await sharePayloads(ctx, texts, receivers);
  for (const slice of slices(addressed(wanted, bodies), ownBytes)) await ctx.inTurn(() => addSlice(ctx, slice, now));
}

async function addSlice(ctx: Context, slice: readonly Addressed[], now: Date): Promise<void> {
  const firstId = await ctx.deliveryIds.next(slice.length);
  const docs = slice.map(({ event, webhook, body }, index) =>
    newDelivery({ config: ctx.config, now }, event, webhook, firstId + index, body),
  );
  await ctx.recent.store(docs, () => ctx.deliveries.insert(docs, () => ctx.deliveryIds.check(firstId)));
  for (const webhook of new Set(slice.map(({ webhook }) => webhook))) ctx.lanes.wake(webhook, "fresh");
}
