import { findMissed } from "../actions/find-missed.js";
import { ownersInTurn } from "../actions/owners-in-turn.js";
import type { Context } from "../context.js";
import { dueAfterFirst } from "../store/delivery-doc.js";
import type { ReplayRequest } from "../store/replay-requests.js";
import { maxReplayed, type StreamHead } from "../store/stream-heads.js";
import type { WebhookDoc } from "../store/webhook-doc.js";
import { newDelivery } from "./new-delivery.js";
import { slices } from "./slices.js";

/** Sets the end once all earlier events are recorded. Until then, a replay could overtake first attempts. */
async function begin(ctx: Context, request: ReplayRequest): Promise<0 | undefined> {
  if (!(await ctx.hasRead("event-stream"))) return undefined;
  const end = await ctx.stream.end();
  if (!(await ctx.hasRead("webhooks"))) return undefined;
  const deferring = await ctx.deferral.users();
  if (deferring.userIn(request.namespaceId) !== undefined) return undefined;
  await ctx.webhooks.saveReplay(request, { ...request.replay, end });
  return 0;
}

/** Stores deliveries of events. `now` is from before the webhook was read. Repeating it adds nothing. */
async function addReplayed(ctx: Context, webhook: WebhookDoc, events: readonly StreamHead[], now: Date) {
  const payloads = await ctx.stream.payloads(events.map(({ _id }) => _id));
  const found = events.filter(({ _id }) => payloads.has(_id));
  if (found.length === 0) return;
  await ctx.inTurn(async () => {
    const firstId = await ctx.deliveryIds.next(found.length);
    const docs = found.map(({ _id, eventId, kind }, nth) => {
      const event = { id: eventId, kind, at: now };
      const delivery = newDelivery({ ...ctx, now }, event, webhook, firstId + nth, { payload: payloads.get(_id)! });
      return { ...delivery, dueAt: dueAfterFirst };
    });
    await ctx.recent.store(docs, () => ctx.deliveries.insert(docs, () => ctx.deliveryIds.check(firstId)));
  });
  ctx.lanes.wake(webhook, "news");
}

/** Adds a slice of what a webhook has missed. A webhook that is inactive by now gets nothing more. */
async function replaySlice(ctx: Context, request: ReplayRequest): Promise<number | undefined> {
  const { _id, namespaceId, replay } = request;
  const { since, after, end } = replay;
  if (end === undefined) return begin(ctx, request);
  // After a failover the new primary may not know for a moment that a majority has the end.
  if ((await ctx.stream.end()) < end) return undefined;
  const now = ctx.now();
  const [webhook] = await ctx.webhooks.findByIds([_id]);
  const heads = webhook?.active ? await ctx.stream.heads(namespaceId, after, end) : [];
  const missed = webhook ? await findMissed(ctx, webhook, heads, since) : [];
  const [slice = []] = slices(missed, ({ payloadBytes }) => payloadBytes);
  if (webhook) await addReplayed(ctx, webhook, slice, now);
  const atEnd = slice.length === missed.length && heads.length < maxReplayed;
  const reached = slice.length < missed.length ? slice.at(-1) : heads.at(-1);
  await ctx.webhooks.saveReplay(request, atEnd ? undefined : { ...replay, after: reached!._id });
  return slice.length;
}

/** Only the process that records events does, because the ids of deliveries grow in the order in which they are stored. */
export async function replayMissed(ctx: Context): Promise<number | undefined> {
  if (!ctx.deferral.isHere()) return 0;
  return ownersInTurn(ctx.webhooks.nextReplayRequest, (request) => replaySlice(ctx, request));
}
