import type { ReceivedEvent } from "@ci/kit/bus/event-headers";
import { Action, type Event } from "@ci/proto/events/v1/events";
import { deactivateOfUser, removeInNamespace } from "../actions/apply-deletion.js";
import type { Context } from "../context.js";
import type { WebhookDoc } from "../store/webhook-doc.js";
import { deletesOwnNamespace, newDelivery } from "./new-delivery.js";
import { type Body, sharePayloads } from "./share-payloads.js";
import { slices } from "./slices.js";

interface Listened {
  readonly event: ReceivedEvent;
  readonly webhooks: readonly WebhookDoc[];
}

interface Addressed {
  readonly event: ReceivedEvent;
  readonly webhook: WebhookDoc;
  readonly body: Body;
}

const deletesUser = ({ body }: Event): boolean => body?.$case === "user" && body.value.action === Action.deleted;

async function findListening(ctx: Context, events: readonly ReceivedEvent[]): Promise<Listened[]> {
  const namespaceIds = [...new Set(events.flatMap(({ namespaceId }) => namespaceId ?? []))];
  if (namespaceIds.length === 0) return [];
  const readAtMs = performance.now();
  const active = await ctx.webhooks.activeInNamespaces(namespaceIds);
  ctx.seen.add(active, readAtMs);
  const byNamespace = new Map<number, WebhookDoc[]>(namespaceIds.map((id) => [id, []]));
  for (const webhook of active) byNamespace.get(webhook.namespaceId)!.push(webhook);
  const listened = events.map((event) => {
    const { namespaceId, kind, at = ctx.now() } = event;
    const inNamespace = namespaceId === undefined ? [] : byNamespace.get(namespaceId)!;
    return {
      event,
      webhooks: inNamespace.filter(({ events, activeSince }) => events.includes(kind) && activeSince <= at),
    };
  });
  return listened.filter(({ webhooks }) => webhooks.length > 0);
}

function* addressed(listened: readonly Listened[], bodies: readonly Body[]): Generator<Addressed> {
  for (const [index, { event, webhooks }] of listened.entries())
    for (const webhook of webhooks) yield { event, webhook, body: bodies[index]! };
}

const ownBytes = ({ body: { payload, payloadId } }: Addressed): number =>
  payloadId === undefined ? payload.length : 0;

async function addDeliveries(ctx: Context, events: readonly ReceivedEvent[]): Promise<void> {
  const now = ctx.now();
  const listened = await findListening(ctx, events);
  if (listened.length === 0) return;
  const payloads = await ctx.renderPayloads(listened.map(({ event }) => event));
  const receivers = listened.map(({ webhooks }) => webhooks.length);
  const bodies = await sharePayloads(ctx, payloads, receivers);
  for (const slice of slices(addressed(listened, bodies), ownBytes)) await addSlice(ctx, slice, now);
}

async function addSlice(ctx: Context, slice: readonly Addressed[], now: Date): Promise<void> {
  const firstId = await ctx.newDeliveryIds(slice.length);
  const docs = slice.map(({ event, webhook, body }, index) =>
    newDelivery({ config: ctx.config, now }, event, webhook, firstId + index, body),
  );
  await ctx.recent.store(docs, () => ctx.deliveries.insert(docs));
  for (const webhook of new Set(slice.map(({ webhook }) => webhook))) ctx.lanes.wake(webhook, "fresh");
}

/** Records events. Only the last one may remove or deactivate webhooks. */
async function recordBatch(ctx: Context, events: readonly ReceivedEvent[]): Promise<void> {
  const last = events.at(-1)!;
  const { body, namespaceId, at = ctx.now() } = last;
  await addDeliveries(ctx, events);
  if (body?.$case === "user" && deletesUser(last)) await deactivateOfUser(ctx, body.value.user!.id, at);
  if (!deletesOwnNamespace(last)) return;
  await ctx.deletions.record([{ kind: "namespace", id: namespaceId! }]);
  await removeInNamespace(ctx, namespaceId!);
}

/** Turns events, in order, into one pending delivery for each listening webhook. Repeating it adds nothing. */
export async function recordDeliveries(ctx: Context, events: readonly ReceivedEvent[]): Promise<void> {
  let batch: ReceivedEvent[] = [];
  for (const event of events) {
    batch.push(event);
    // Later events need the webhooks that remain after this one.
    if (!deletesOwnNamespace(event) && !deletesUser(event)) continue;
    await recordBatch(ctx, batch);
    batch = [];
  }
  if (batch.length > 0) await recordBatch(ctx, batch);
}
