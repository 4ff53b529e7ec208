import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { Delivery_Status } from "@ci/proto/webhooks/v1/webhooks";
import { cancelStale } from "../actions/cancel-stale.js";
import { removeDeliveriesOf, removeWebhooks } from "../actions/remove-webhooks.js";
import type { Context } from "../context.js";
import { failureClass } from "../domain/failure-class.js";
import { latestDueMs, nextDueMs, waitMs } from "../domain/pace.js";
import { settingsCacheMs } from "../domain/settings-cache.js";
import { countAttempt, countFailure } from "../metrics.js";
import { type DueDeliveries, type DueDelivery, isFirstAttempt, isWanted } from "../store/delivery-doc.js";
import { headersDecrypter, textsDecrypter } from "../store/encrypted-secrets.js";
import type { WebhookDoc } from "../store/webhook-doc.js";
import { type AttemptResult, makeAttempt, type Receiver } from "./attempt.js";
import type { Turn } from "./lane-scheduler.js";
import { readPayload } from "./payload-turns.js";
import { type PendingWrites, pendingWrites } from "./pending-writes.js";
import type { Seen } from "./seen-webhooks.js";
import type { Payload } from "./shared-payloads.js";
import type { WakeReason } from "./wake.js";

// README.md beside this file shows the states of a delivery and of a lane.

/** Attempts that are made but not written. This many may be repeated when the process dies. */
const maxUnwritten = fixedLimit({
  max: 64,
  about: "attempts of one webhook that are not stored yet",
  effect: "the next attempt waits",
});

export interface Lane extends Receiver {
  /** When `webhook` was read, by `performance.now()`. */
  readonly readAtMs: number;
  readonly due: DueDeliveries;
  /** Recent deliveries with lower ids have been read. */
  readonly nextId: number;
  readonly writes: PendingWrites;
  /** When the rate limit allows the next attempt, by `performance.now()`. */
  readonly nextAtMs: number;
}

/** Sends what is due for one webhook while this process holds its lane. Returns in how many ms it may go on; undefined if nothing is due. */
export async function runLane(ctx: Context, turn: Turn): Promise<number | undefined> {
  let writes: PendingWrites | undefined;
  try {
    let lane = await openLane(ctx, turn);
    writes = lane?.writes;
    let attempts = 0;
    const isOver = () => turn.isOver(attempts);
    const attempt = async (current: Lane, payload: Payload) => {
      attempts++;
      return sendNext(ctx, current, payload, turn);
    };
    while (lane && readyInMs(lane) === 0 && !isOver()) lane = await withPayload(ctx, lane, isOver, attempt);
    if (lane) ctx.idleLanes.keep(lane);
    return lane && readyInMs(lane);
  } catch (error) {
    await writes?.settled();
    await ctx.writes.releaseLanes([turn.webhook._id]);
    throw error;
  }
}

/** Returns in how many ms the next delivery may be sent; undefined if none is due. */
function readyInMs({ due, webhook, nextAtMs }: Lane): number | undefined {
  if (due.docs.length === 0) return undefined;
  return webhook.rateLimit ? waitMs(nextAtMs, performance.now()) : 0;
}

/** Reads the next payload once there is room for it. Then makes the attempt, unless the lane or the turn has changed meanwhile. */
function withPayload(
  ctx: Context,
  lane: Lane,
  isOver: () => boolean,
  attempt: (lane: Lane, payload: Payload) => Promise<Lane | undefined>,
): Promise<Lane | undefined> {
  const next = lane.due.docs[0]!;
  return ctx.payloadTurns(lane.webhook.userId, next, async () => {
    if (isOver()) return lane;
    // Nothing may take time between the look at the settings and the attempt.
    const payload = await readPayload(ctx, next);
    const current = await refresh(ctx, lane);
    return current?.due.docs[0] === next ? attempt(current, payload) : current;
  });
}

/** Takes the idle lane or claims it, and reads what is due. Returns undefined if another process holds it. */
async function openLane(ctx: Context, turn: Turn): Promise<Lane | undefined> {
  const idle = ctx.idleLanes.take(turn.webhook._id);
  await idle?.writes.atMost(maxUnwritten);
  const lane = idle && (await refresh(ctx, idle));
  if (lane) return lane.due.docs.length > 0 && turn.reason === "fresh" ? lane : readMore(ctx, lane, turn.reason);
  const readAtMs = performance.now();
  const webhook = await claim(ctx, turn);
  if (!webhook) return undefined;
  const writes = pendingWrites(ctx.writes.recordAttempt.hurry);
  const { keyring } = ctx.config;
  const decrypt = textsDecrypter(keyring, webhook._id);
  const decryptHeaders = headersDecrypter(keyring, webhook._id);
  return readDue(ctx, { webhook, readAtMs, writes, decrypt, decryptHeaders, nextAtMs: resumeAtMs(ctx, webhook) });
}

async function claim(ctx: Context, { webhook, reason }: Turn): Promise<WebhookDoc | null> {
  const { webhooks, heartbeat, writes } = ctx;
  const { _id: webhookId } = webhook;
  const claimed = await writes.claimLane(webhookId);
  if (claimed) return claimed;
  const holder = await webhooks.laneHolder(webhookId);
  if (holder && (await heartbeat.isDead(holder))) return writes.claimLane(webhookId, holder);
  if (holder === null) await removeDeliveriesOf(ctx, [webhookId]);
  // The holder does not know what this process has stored.
  else if (reason !== "look") ctx.wakeHolder(webhook);
  return null;
}

/** The last attempt may have been another process's, and the last of a burst. */
function resumeAtMs({ now }: Context, { rateLimit, lastResponse }: WebhookDoc): number {
  if (!rateLimit || !lastResponse) return 0;
  const sinceMs = Math.max(0, now().getTime() - lastResponse.createdAt!.getTime());
  return performance.now() - sinceMs + latestDueMs(rateLimit);
}

type OpenLane = Omit<Lane, "due" | "nextId">;

/** Reads what is due after all attempts are written, so that no sent delivery is found again. */
async function readDue(ctx: Context, lane: OpenLane, cancelled = false): Promise<Lane | undefined> {
  const { webhook, writes } = lane;
  await writes.atMost(0);
  if (!webhook.active && !cancelled) return withoutStale(ctx, lane);
  const { due, nextId } = await ctx.recent.readDue(webhook._id, () => ctx.deliveries.due(webhook._id, ctx.now()));
  return due.docs.every(isWanted(webhook)) ? { ...lane, due, nextId } : withoutStale(ctx, lane);
}

/** Cancels what the webhook no longer sends, and reads again. The process that deactivated it may have died before that. */
async function withoutStale(ctx: Context, lane: OpenLane): Promise<Lane | undefined> {
  const readAtMs = performance.now();
  const webhook = await cancelStale(ctx, lane.webhook._id);
  return webhook && isHeld(ctx, webhook) ? readDue(ctx, { ...lane, webhook, readAtMs }, true) : undefined;
}

/** Refills an empty lane: from memory if everything new is there, else from the database. */
async function readMore(ctx: Context, lane: Lane, reason: WakeReason): Promise<Lane | undefined> {
  const { webhook, nextId } = lane;
  const due = reason === "fresh" && lane.due.left !== "any" ? ctx.recent.take(webhook._id, nextId) : undefined;
  if (!due?.docs.every(isWanted(webhook))) return readDue(ctx, lane);
  return { ...lane, due, nextId: Math.max(nextId, ...due.docs.map(({ _id }) => _id + 1)) };
}

/** Replaces the cached webhook if it is too old. Returns undefined if the lane is lost. */
async function refresh(ctx: Context, lane: Lane): Promise<Lane | undefined> {
  if (performance.now() - lane.readAtMs < settingsCacheMs) return lane;
  const seen = ctx.seen.take(lane.webhook._id);
  const isNewer = seen && seen.readAtMs > lane.readAtMs && isHeld(ctx, seen.webhook);
  return isNewer ? withWebhook(ctx, lane, seen) : reread(ctx, lane);
}

async function reread(ctx: Context, lane: Lane): Promise<Lane | undefined> {
  const readAtMs = performance.now();
  const webhook = await ctx.writes.readWebhook(lane.webhook._id);
  return webhook && isHeld(ctx, webhook) ? withWebhook(ctx, lane, { webhook, readAtMs }) : undefined;
}

const isHeld = ({ heartbeat }: Context, { lane }: WebhookDoc): boolean => lane?.holder === heartbeat.holder;

function withWebhook(ctx: Context, lane: Lane, { webhook, readAtMs }: Seen): Lane | Promise<Lane | undefined> {
  const { revision, active } = lane.webhook;
  const renewed = { ...lane, webhook, readAtMs };
  return webhook.revision === revision && webhook.active === active ? renewed : readDue(ctx, renewed);
}

/** Makes one attempt and stores it. Returns undefined if the lane is lost. */
async function sendNext(ctx: Context, lane: Lane, payload: Payload, turn: Turn): Promise<Lane | undefined> {
  const { webhook, due, writes } = lane;
  const [delivery, ...docs] = due.docs as [DueDelivery, ...DueDelivery[]];
  if (!ctx.heartbeat.isCurrent()) throw new Error("heartbeat too old: other processes may claim this lane");
  const startedMs = performance.now();
  const result = await makeAttempt(ctx, lane, { delivery, payload }, turn.signal);
  count(result, delivery);
  if (delivery.farewell) return removeWebhook(ctx, lane);
  const { record, health } = result;
  const urgent = !leavesWebhookUnchanged(result, webhook);
  // After it, another process would cancel what is not written yet.
  if (result.outcome.deactivate) await writes.atMost(0);
  await applyDeactivation(ctx, webhook, result);
  const { _id, attemptCount, asked, sharedRequest } = delivery;
  const sent = { _id, attemptCount, asked, sharedRequest };
  writes.add(ctx.writes.recordAttempt({ webhookId: webhook._id, delivery: sent, record, health, urgent }));
  const nextAtMs = webhook.rateLimit ? nextDueMs(lane.nextAtMs, startedMs, webhook.rateLimit) : 0;
  const rest = { ...lane, due: { docs, left: due.left }, nextAtMs };
  // The next attempt begins during this write, unless it depends on what this attempt has changed.
  if (urgent) {
    await writes.atMost(0);
    return readMoreIfDue(ctx, await reread(ctx, rest), delivery, turn);
  }
  await writes.atMost(maxUnwritten);
  await ctx.writes.room();
  return readMoreIfDue(ctx, rest, delivery, turn);
}

function count({ outcome, record: { attempt } }: AttemptResult, { test }: DueDelivery): void {
  const followUp = outcome.deactivate ? Delivery_Status.cancelled : "retry";
  countAttempt(outcome.status === Delivery_Status.pending ? followUp : outcome.status);
  if (attempt.error !== undefined && !test) countFailure(failureClass(attempt.code, attempt.error));
}

/** Reads again only after a wake, and after each retry, so that first attempts wait for one retry at most. */
async function readMoreIfDue(ctx: Context, lane: Lane | undefined, sent: DueDelivery, turn: Turn) {
  if (!lane || (lane.due.docs.length > 0 && isFirstAttempt(sent))) return lane;
  const reason = turn.takeWake();
  if (lane.due.docs.length > 0) return reason ? readDue(ctx, lane) : lane;
  if (lane.due.left === "nothing") return reason ? readMore(ctx, lane, reason) : lane;
  return readMore(ctx, lane, reason ?? "fresh");
}

/** Reports whether the next attempt may begin before this one is written. */
const leavesWebhookUnchanged = ({ outcome }: AttemptResult, { failingSince }: WebhookDoc): boolean =>
  outcome.status === Delivery_Status.delivered && failingSince === undefined;

/** Before the attempt is written: a process that dies in between repeats the attempt, or cancels its delivery. */
async function applyDeactivation(ctx: Context, webhook: WebhookDoc, { outcome: { deactivate } }: AttemptResult) {
  if (!deactivate || !(await ctx.webhooks.deactivate(webhook, deactivate))) return;
  const { _id, namespaceId } = webhook;
  ctx.log.warn({ webhook: _id, namespace: namespaceId, reason: deactivate }, "webhook deactivated");
}

async function removeWebhook(ctx: Context, { webhook: { _id }, writes }: Lane): Promise<undefined> {
  await writes.settled();
  await removeWebhooks(ctx, [_id]);
}
