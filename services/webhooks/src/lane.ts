import { Delivery_Status } from "@ci/proto/webhooks/v1/webhooks";
import { attempt } from "./attempt.js";
import type { Context } from "./context.js";
import type { Turn } from "./lanes.js";
import { countOutcome } from "./metrics.js";
import { atOnce, type DeliveryDoc, type Due } from "./store/deliveries.js";
import type { WebhookDoc } from "./store/webhooks.js";

/** How long a lane stays taken when its holder dies, beyond the longest attempt. */
const marginMs = 5_000;

const leaseEnd = ({ now, config }: Context): Date => new Date(now().getTime() + config.timeoutMs + marginMs);

/** The webhook as last seen, and what is due for it. */
interface Lane {
  readonly webhook: WebhookDoc;
  readonly due: Due;
}

/**
 * Sends what is due for one webhook, one attempt after another, while this process holds its lane.
 * Answers whether there was more when the turn was over.
 */
export async function runLane(ctx: Context, webhookId: number, turn: Turn): Promise<boolean> {
  const webhook = await ctx.webhooks.claim(webhookId, { holder: ctx.holder, until: leaseEnd(ctx) }, ctx.now());
  if (!webhook) return isElsewhere(ctx, webhookId, turn);
  try {
    let lane: Lane | undefined = await look(ctx, webhook);
    while (lane && lane.due.docs.length > 0 && !turn.over()) lane = await step(ctx, lane, turn);
    if (lane) await ctx.webhooks.release(webhookId, ctx.holder);
    return lane !== undefined && lane.due.docs.length > 0;
  } catch (error) {
    await ctx.webhooks.release(webhookId, ctx.holder);
    throw error;
  }
}

/** Another process is at it and must know of the news; or the webhook is gone, and its deliveries with it. */
async function isElsewhere(ctx: Context, webhookId: number, { why }: Turn): Promise<false> {
  if (!(await ctx.webhooks.exists(webhookId))) await ctx.deliveries.removeOf(webhookId);
  else if (why === "news") ctx.tellOthers(webhookId);
  return false;
}

async function look(ctx: Context, webhook: WebhookDoc): Promise<Lane> {
  if (!webhook.active) await ctx.deliveries.cancel(webhook._id);
  return { webhook, due: await ctx.deliveries.due(webhook._id, ctx.now()) };
}

/** One attempt and its consequences. Undefined when the lane is given up or lost. */
async function step(ctx: Context, { webhook, due }: Lane, turn: Turn): Promise<Lane | undefined> {
  const [delivery, ...rest] = due.docs as [DeliveryDoc, ...DeliveryDoc[]];
  const tried = await attempt(ctx, webhook, delivery, turn.signal);
  countOutcome(tried.outcome.status === Delivery_Status.pending ? "retry" : tried.outcome.status);
  if (delivery.farewell) return remove(ctx, webhook);
  await ctx.deliveries.record(delivery, tried.recorded);
  if (tried.outcome.deactivate) await ctx.webhooks.deactivate(webhook, tried.outcome.deactivate);
  const left = await next(ctx, delivery, { docs: rest, all: due.all }, turn);
  // The lane is given up in the same write when nothing is left, so that a lonely delivery costs no further one.
  const goOn = left.docs.length > 0;
  const after = await ctx.webhooks.tell(webhook._id, ctx.holder, tried.told, goOn ? leaseEnd(ctx) : undefined);
  if (after && !after.active) await ctx.deliveries.cancel(webhook._id);
  if (!after || !goOn) return undefined;
  return after.revision === webhook.revision ? { webhook: after, due: left } : look(ctx, after);
}

/**
 * What is still due after this delivery. The database is asked only when there can be something new (whoever adds
 * some also wakes), and after each retry, so that first attempts wait for one retry at most.
 */
async function next(ctx: Context, { webhookId, dueAt }: DeliveryDoc, rest: Due, turn: Turn): Promise<Due> {
  const wasRetry = dueAt! > atOnce;
  const stale = rest.docs.length === 0 ? !rest.all || turn.news() : wasRetry && turn.news();
  return stale ? ctx.deliveries.due(webhookId, ctx.now()) : rest;
}

async function remove(ctx: Context, { _id }: WebhookDoc): Promise<undefined> {
  await ctx.webhooks.remove(_id);
  await ctx.deliveries.removeOf(_id);
}
