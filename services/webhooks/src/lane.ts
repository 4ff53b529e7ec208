import { Delivery_Status } from "@ci/proto/webhooks/v1/webhooks";
import { attempt, type Tried } from "./attempt.js";
import { type Behind, behind } from "./behind.js";
import type { Context } from "./context.js";
import { failureClass } from "./domain/failure-class.js";
import { trustMs } from "./domain/lane.js";
import type { Turn, Why } from "./lanes.js";
import { countFailure, countOutcome } from "./metrics.js";
import { atOnce, type DeliveryDoc, type Due } from "./store/deliveries.js";
import type { WebhookDoc } from "./store/webhooks.js";

/** Attempts that are made and not written yet: so many may be made again when this process dies. */
const mostUnwritten = 32;

/** The webhook as last seen, what is due for it, and what was sent and is being written down. */
export interface Lane {
  readonly webhook: WebhookDoc;
  /** When it was seen, by the process's own clock. */
  readonly seenMs: number;
  readonly due: Due;
  /** First attempts that this process has stored under lower ids have been seen. */
  readonly from: number;
  readonly writes: Behind;
}

/** The webhook, if its lane is free or was left behind by a process that is gone. */
async function claim(ctx: Context, webhookId: number, { why }: Turn): Promise<WebhookDoc | null> {
  const { webhooks, presence, desk } = ctx;
  const free = await desk.claim(webhookId);
  if (free) return free;
  const other = await webhooks.holderOf(webhookId);
  if (other && (await presence.isGone(other))) return desk.claim(webhookId, other);
  if (other === null) await ctx.deliveries.removeOf(webhookId);
  // Whoever is at it must know of the news.
  else if (why !== "look") ctx.tellOthers(webhookId);
  return null;
}

/** The lane with what is due: still held since the last turn, or taken. Undefined when it is somebody else's. */
async function take(ctx: Context, webhookId: number, turn: Turn): Promise<Lane | undefined> {
  const held = ctx.holds.take(webhookId);
  const mine = held && (await asItIsNow(ctx, held));
  // It has something only if the webhook was changed meanwhile, or if there was more when the last turn was over.
  if (mine) return mine.due.docs.length > 0 && turn.why === "fresh" ? mine : more(ctx, mine, turn.why);
  const seenMs = performance.now();
  const webhook = await claim(ctx, webhookId, turn);
  return webhook ? look(ctx, { webhook, seenMs, writes: behind() }) : undefined;
}

/**
 * Sends what is due for one webhook, one attempt after another, while this process holds its lane.
 * Answers whether there was more when the turn was over.
 */
export async function runLane(ctx: Context, webhookId: number, turn: Turn): Promise<boolean> {
  let writes: Behind | undefined;
  try {
    let lane = await take(ctx, webhookId, turn);
    writes = lane?.writes;
    while (lane && lane.due.docs.length > 0 && !turn.over()) {
      lane = await asItIsNow(ctx, lane);
      if (lane && lane.due.docs.length > 0) lane = await step(ctx, lane, turn);
    }
    await writes?.atMost(0);
    if (lane) ctx.holds.keep(lane);
    return lane !== undefined && lane.due.docs.length > 0;
  } catch (error) {
    await writes?.over();
    await ctx.desk.tell([webhookId]);
    throw error;
  }
}

/** What is due, once everything that was sent is written: nothing is found twice. */
async function look(ctx: Context, seen: Omit<Lane, "due" | "from">): Promise<Lane> {
  const { webhook, writes } = seen;
  await writes.atMost(0);
  if (!webhook.active) await ctx.deliveries.cancel(webhook._id);
  const { due, from } = await ctx.fresh.found(webhook._id, () => ctx.deliveries.due(webhook._id, ctx.now()));
  return { ...seen, due, from };
}

const isFirst = ({ dueAt }: DeliveryDoc): boolean => dueAt!.getTime() === atOnce.getTime();

/** What has come for a lane that has nothing left. The database is asked unless that is in memory. */
async function more(ctx: Context, lane: Lane, came: Why): Promise<Lane> {
  const docs = came === "fresh" && lane.due.all ? ctx.fresh.take(lane.webhook._id, lane.from) : undefined;
  if (!docs) return look(ctx, lane);
  return { ...lane, due: { docs, all: true }, from: Math.max(lane.from, ...docs.map(({ _id }) => _id + 1)) };
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

/** One attempt and its consequences. Undefined when the lane is lost. */
async function step(ctx: Context, lane: Lane, turn: Turn): Promise<Lane | undefined> {
  const { webhook, due, writes } = lane;
  const [delivery, ...docs] = due.docs as [DeliveryDoc, ...DeliveryDoc[]];
  if (!ctx.presence.sure()) throw new Error("Others may take this process for dead");
  const tried = await attempt(ctx, webhook, delivery, turn.signal);
  countOutcome(tried.outcome.status === Delivery_Status.pending ? "retry" : tried.outcome.status);
  const { code, error } = tried.recorded.attempt;
  if (error !== undefined) countFailure(failureClass(code, error));
  if (delivery.farewell) return remove(ctx, lane);
  const { recorded, told } = tried;
  const urgent = !goesOn(tried, webhook);
  writes.add(ctx.desk.write({ webhookId: webhook._id, delivery, recorded, told, urgent }));
  const left = { ...lane, due: { docs, all: due.all } };
  // The next attempt begins while this one is being written, unless it depends on what this one has changed.
  if (urgent) return next(ctx, await thinkAgain(ctx, left, tried), delivery, turn);
  await writes.atMost(mostUnwritten);
  return next(ctx, left, delivery, turn);
}

/**
 * What else may be due by now. The database is asked only when there can be something new (whoever adds some also
 * wakes), and after each retry, so that first attempts wait for one retry at most.
 */
async function next(ctx: Context, lane: Lane | undefined, made: DeliveryDoc, turn: Turn): Promise<Lane | undefined> {
  if (!lane || (lane.due.docs.length > 0 && isFirst(made))) return lane;
  const came = turn.came();
  if (lane.due.docs.length > 0) return came ? look(ctx, lane) : lane;
  if (!lane.due.all) return look(ctx, lane);
  return came ? more(ctx, lane, came) : lane;
}

/** A success after which nothing about the webhook changes: the next attempt need not wait until it is written. */
const goesOn = ({ outcome }: Tried, { failingSince }: WebhookDoc): boolean =>
  outcome.status === Delivery_Status.delivered && failingSince === undefined;

/** The lane after an attempt that has changed something about its webhook. */
async function thinkAgain(ctx: Context, lane: Lane, tried: Tried): Promise<Lane | undefined> {
  const { webhook, writes } = lane;
  const { deactivate } = tried.outcome;
  await writes.atMost(0);
  if (deactivate && (await ctx.webhooks.deactivate(webhook, deactivate))) {
    const { _id, namespaceId } = webhook;
    ctx.log.warn({ webhook: _id, namespace: namespaceId, reason: deactivate }, "webhook deactivated");
  }
  return asItIsNow(ctx, { ...lane, seenMs: Number.NEGATIVE_INFINITY });
}

async function remove(ctx: Context, { webhook: { _id }, writes }: Lane): Promise<undefined> {
  await writes.over();
  await ctx.webhooks.remove(_id);
  await ctx.deliveries.removeOf(_id);
}
