import type { Context } from "../context.js";

/** Stores the current length of the queue, and the starts and ends since this process's last pass. */
export async function recordQueue(ctx: Pick<Context, "queue" | "runners" | "queueMinutes" | "config" | "now">) {
  const [queued, running, runners] = await Promise.all([
    ctx.queue.count("queued"),
    ctx.queue.count("running"),
    ctx.runners.countAll(2 * ctx.config.leaseMs),
  ]);
  await ctx.queueMinutes.record(ctx.now(), { queued, running, runners });
}
