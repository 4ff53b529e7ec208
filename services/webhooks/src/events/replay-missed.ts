import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { findMissed } from "../actions/find-missed.js";
import { ownersInTurn } from "../actions/owners-in-turn.js";
import { readWanted } from "../actions/read-wanted.js";
import type { Context } from "../context.js";
import { dueAfterFirst } from "../store/delivery-doc.js";
import type { ReplayRequest } from "../store/replay-requests.js";
import { maxReplayed, type StreamHead } from "../store/stream-heads.js";
import type { WebhookDoc } from "../store/webhook-doc.js";
import { newDelivery } from "./new-delivery.js";
import { sharePayloads } from "./share-payloads.js";
import { slices } from "./slices.js";

const maxWaiting = fixedLimit({
  max: 1_000,
  about: "replayed events, and deliveries that are redelivered together, of one webhook that wait to be sent",
  effect: "further ones are stored after these",
});
/** New events are not recorded while a step is stored. So a pass is short, and the loop pauses after it. */
const maxPassMs = 300;

/** A long payload is stored once for all webhooks that replay it. */
const forSeveral = 2;

type Begin = (request: ReplayRequest) => Promise<0 | undefined>;

/**
 * Returns a function that sets the end of a replay once all earlier events are recorded. Until then, a replay could overtake
 * first attempts. It takes seconds to learn that a reader is behind, so the rest of the pass does not ask again.
 */
function beginning(ctx: Context): Begin {
  let isBehind = false;
  const hasRead = async (reader: "webhooks" | "event-stream"): Promise<boolean> => {
    isBehind ||= !(await ctx.hasRead(reader));
    return !isBehind;
  };
  return async (request) => {
    if (isBehind || !(await hasRead("event-stream"))) return undefined;
    const end = await ctx.stream.end();
    if (!(await hasRead("webhooks"))) return undefined;
    const deferring = await ctx.deferral.users();
    if (deferring.userIn(request.namespaceId) !== undefined) return undefined;
    const { after, asked } = request.replay;
    await ctx.webhooks.saveReplay(request, { after, end, begun: asked });
    return 0;
  };
}

/**
 * Stores deliveries of the events that pass the webhook's filter. `now` is from before the webhook was read. Repeating it adds
 * nothing.
 */
async function addReplayed(ctx: Context, webhook: WebhookDoc, events: readonly StreamHead[], now: Date) {
  const wanted = await readWanted(ctx, webhook, events);
  if (wanted.length === 0) return;
  const texts = wanted.map(({ payload }) => payload);
  const bodies = await sharePayloads(
    ctx,
    texts,
    texts.map(() => forSeveral),
  );
  await ctx.inTurn(async () => {
    const firstId = await ctx.deliveryIds.next(wanted.length);
    const docs = wanted.map(({ event: { eventId, kind } }, nth) => {
      const event = { id: eventId, kind, at: now };
      return { ...newDelivery({ ...ctx, now }, event, webhook, firstId + nth, bodies[nth]!), dueAt: dueAfterFirst };
    });
    await ctx.recent.store(docs, () => ctx.deliveries.insert(docs, () => ctx.deliveryIds.check(firstId)));
  });
  ctx.lanes.wake(webhook, "news");
}

/** Adds some of what a webhook has missed. A webhook that was turned off meanwhile gets nothing more. */
async function replaySome(ctx: Context, request: ReplayRequest, begin: Begin): Promise<number | undefined> {
  const { _id, namespaceId, replay } = request;
  const { since, activeSince, after, end, asked, begun = asked } = replay;
  const now = ctx.now();
  const [webhook] = await ctx.webhooks.findByIds([_id]);
  if (!webhook?.active || webhook.activeSince.getTime() !== activeSince.getTime()) {
    await ctx.webhooks.endReplay(request, asked);
    return 0;
  }
  if (end === undefined) return begin(request);
  if ((await ctx.deliveries.waitingAfterFirst(_id, maxWaiting)) === maxWaiting) return undefined;
  // After a failover the new primary may not know for a moment that a majority has the end.
  if ((await ctx.stream.end()) < end) return undefined;
  const heads = await ctx.stream.heads(namespaceId, after, end);
  const missed = await findMissed(ctx, webhook, heads, since);
  for (const slice of slices(missed, ({ payloadBytes }) => payloadBytes)) await addReplayed(ctx, webhook, slice, now);
  if (heads.length < maxReplayed) await ctx.webhooks.endReplay(request, begun);
  else await ctx.webhooks.saveReplay(request, { after: heads.at(-1)!._id, end, begun });
  return missed.length;
}

/** Only the process that records events does, because the ids of deliveries grow in the order in which they are stored. */
export async function replayMissed(ctx: Context, forMs = maxPassMs): Promise<number | undefined> {
  const untilMs = performance.now() + forMs;
  const isOver = () => !ctx.deferral.isHere() || performance.now() > untilMs;
  if (!ctx.deferral.isHere()) return 0;
  const begin = beginning(ctx);
  return ownersInTurn(ctx.webhooks.nextReplayRequest, (request) => replaySome(ctx, request, begin), isOver);
}
