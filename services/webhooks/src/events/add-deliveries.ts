import type { ReceivedEvent } from "@ci/kit/bus/event-headers";
import { payloadReader } from "../actions/payload-reader.js";
import type { Context } from "../context.js";
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

/** Leaves out what the webhooks' filters exclude. Without filters it reads no payload. */
async function filtered(listened: readonly Listened[], payloads: readonly string[]): Promise<Listened[]> {
  const read = payloadReader();
  const wanted: Listened[] = [];
  for (const [index, { event, webhooks }] of listened.entries()) {
    const record = webhooks.some(({ filter }) => filter) ? await read(payloads[index]!) : undefined;
    wanted.push({ event, webhooks: webhooks.filter(({ filter }) => matches(filter, record)) });
  }
  return wanted;
}

/**
 * Stores a pending delivery for each webhook whose filter the event passes. `now` is from before the webhooks were read.
 * Repeating it adds nothing.
 */
export async function addDeliveries(ctx: Context, listened: readonly Listened[], now: Date): Promise<void> {
  if (listened.length === 0) return;
  const payloads = await ctx.renderPayloads(listened.map(({ event }) => event));
  const wanted = await filtered(listened, payloads);
  const receivers = wanted.map(({ webhooks }) => webhooks.length);
  const bodies = await sharePayloads(ctx, payloads, receivers);
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
