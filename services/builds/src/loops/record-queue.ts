import { Driver_Type } from "@ci/proto/builds/v1/queue";
import type { Context } from "../context.js";

/** Stores the current length of the queue, and the starts and ends since this process's last pass. */
export async function recordQueue(ctx: Pick<Context, "queue" | "runners" | "queueMinutes" | "config" | "now">) {
  const sum = async (status: "queued" | "running") => {
    const counts = await Promise.all(Object.values(Driver_Type).map((driver) => ctx.queue.count(status, driver)));
    return counts.reduce((a, b) => a + b, 0);
  };
  const [queued, running, runners] = await Promise.all([
    sum("queued"),
    sum("running"),
    ctx.runners.countAll(2 * ctx.config.leaseMs),
  ]);
  await ctx.queueMinutes.record(ctx.now(), { queued, running, runners });
}
