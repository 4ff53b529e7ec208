import { Delivery_Status } from "@ci/proto/webhooks/v1/webhooks";
import { attempt, type Tried } from "./attempt.js";
import { type Behind, behind } from "./behind.js";
import type { Context } from "./context.js";
import { failureClass } from "./domain/failure-class.js";
import { trustMs } from "./domain/lane.js";
import type { Turn } from "./lanes.js";
import { countFailure, countOutcome } from "./metrics.js";
import { atOnce, type DeliveryDoc, type Due } from "./store/deliveries.js";
import type { WebhookDoc } from "./store/webhooks.js";

/** Attempts that are made and not written yet: so many may be made again when this process dies. */
const mostUnwritten = 32;

/** The webhook as last seen, what is due for it, and what was sent and is being written down. */
interface Lane {
  readonly webhook: WebhookDoc;
  /** When it was seen, by the process's own clock. */
  readonly seenMs: number;
  readonly due: Due;
  readonly writes: Behind;
}

/** The webhook, if its lane is free or was left behind by a process that is gone. */
async function claim(ctx: Context, webhookId: number, { why }: Turn): Promise<WebhookDoc | null> {
  const { webhooks, presence } = ctx;
  const free = await webhooks.claim(webhookId, presence.holder);
  if (free) return free;
  const other = await webhooks.holderOf(webhookId);
  if (other && (await presence.isGone(other))) return webhooks.claim(webhookId, presence.holder, other);
  if (other === null) await ctx.deliveries.removeOf(webhookId);
  // Whoever is at it must know of the news.
  else if (why === "news") ctx.tellOthers(webhookId);
  return null;
}

/**
 * Sends what is due for one webhook, one attempt after another, while this process holds its lane.
 * Answers whether there was more when the turn was over.
 */
export async function runLane(ctx: Context, webhookId: number, turn: Turn): Promise<boolean> {
  const seenMs = performance.now();
  const webhook = await claim(ctx, webhookId, turn);
  if (!webhook) return false;
  const writes = behind();
  try {
    let lane: Lane | undefined = await look(ctx, { webhook, seenMs, writes });
    while (lane && lane.due.docs.length > 0 && !turn.over()) {
      lane = await asItIsNow(ctx, lane);
      if (lane && lane.due.docs.length > 0) lane = await step(ctx, lane, turn);
    }
    await writes.atMost(0);
    if (lane) await ctx.webhooks.release(webhookId, ctx.presence.holder);
    return lane !== undefined && lane.due.docs.length > 0;
  } catch (error) {
    await writes.over();
    await ctx.webhooks.release(webhookId, ctx.presence.holder);
    throw error;
  }
}

/** What is due, once everything that was sent is written: nothing is found twice. */
async function look(ctx: Context, seen: Omit<Lane, "due">): Promise<Lane> {
  const { webhook, writes } = seen;
  await writes.atMost(0);
  if (!webhook.active) await ctx.deliveries.cancel(webhook._id);
  return { ...seen, due: await ctx.deliveries.due(webhook._id, ctx.now()) };
}

/** The same lane with its webhook as it is now, by which the next attempt goes. Undefined when the lane is lost. */
async function asItIsNow(ctx: Context, lane: Lane): Promise<Lane | undefined> {
  const seenMs = performance.now();
  if (seenMs - lane.seenMs < trustMs) return lane;
  const { _id, revision, active } = lane.webhook;
  const webhook = await ctx.desk.see(_id);
  if (webhook?.lane?.holder !== ctx.presence.holder) return undefined;
  const seen = { ...lane, webhook, seenMs };
  return webhook.revision === revision && webhook.active === active ? seen : look(ctx, seen);
}

/** One attempt and its consequences. Undefined when the lane is given up or lost. */
async function step(ctx: Context, lane: Lane, turn: Turn): Promise<Lane | undefined> {
  const { webhook, due, writes } = lane;
  const [delivery, ...docs] = due.docs as [DeliveryDoc, ...DeliveryDoc[]];
  if (!ctx.presence.sure()) throw new Error("Others may take this process for dead");
  const tried = await attempt(ctx, webhook, delivery, turn.signal);
  countOutcome(tried.outcome.status === Delivery_Status.pending ? "retry" : tried.outcome.status);
  const { code, error } = tried.recorded.attempt;
  if (error !== undefined) countFailure(failureClass(code, error));
  if (delivery.farewell) return remove(ctx, lane);
  const stale = isStale(delivery, { docs, all: due.all }, turn);
  // The lane is given up in the same write when nothing is left, so that a lonely delivery costs no further one.
  const over = docs.length === 0 && !stale && goesOn(tried, webhook);
  const { recorded, told } = tried;
  writes.add(ctx.desk.write({ webhookId: webhook._id, delivery, recorded, told, over }));
  if (over) return undefined;
  const left = { ...lane, due: { docs, all: due.all } };
  if (!goesOn(tried, webhook) || stale) return thinkAgain(ctx, left, tried, stale);
  // The next attempt begins while this one is being written.
  await writes.atMost(mostUnwritten);
  return left;
}

/**
 * Whether something else may be due by now. The database is asked only when there can be something new (whoever adds
 * some also wakes), and after each retry, so that first attempts wait for one retry at most.
 */
function isStale({ dueAt }: DeliveryDoc, rest: Due, turn: Turn): boolean {
  const wasRetry = dueAt! > atOnce;
  return rest.docs.length === 0 ? !rest.all || turn.news() : wasRetry && turn.news();
}

/** A success after which nothing about the webhook changes: the next attempt need not wait until it is written. */
const goesOn = ({ outcome }: Tried, { failingSince }: WebhookDoc): boolean =>
  outcome.status === Delivery_Status.delivered && failingSince === undefined;

/** The next attempt depends on what this one has changed. */
async function thinkAgain(ctx: Context, lane: Lane, tried: Tried, stale: boolean): Promise<Lane | undefined> {
  const { webhook, writes } = lane;
  const { deactivate } = tried.outcome;
  await writes.atMost(0);
  if (deactivate && (await ctx.webhooks.deactivate(webhook, deactivate))) {
    const { _id, namespaceId } = webhook;
    ctx.log.warn({ webhook: _id, namespace: namespaceId, reason: deactivate }, "webhook deactivated");
  }
  const due = stale ? await ctx.deliveries.due(webhook._id, ctx.now()) : lane.due;
  return asItIsNow(ctx, { ...lane, due, seenMs: goesOn(tried, webhook) ? lane.seenMs : Number.NEGATIVE_INFINITY });
}

async function remove(ctx: Context, { webhook: { _id }, writes }: Lane): Promise<undefined> {
  await writes.over();
  await ctx.webhooks.remove(_id);
  await ctx.deliveries.removeOf(_id);
}
