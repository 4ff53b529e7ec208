import type { Context } from "../context.js";
import { tend } from "../fire.js";

/** One pass: looks after the cron jobs that wake, due ones above all. Answers how many; one that fails stops no other. */
export async function fireCrons(ctx: Context): Promise<number> {
  const waking = await ctx.crons.waking(ctx.now());
  const tended = await Promise.allSettled(waking.map((doc) => tend(ctx, doc)));
  const failures = tended.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} cron jobs could not be looked after`);
  return waking.length;
}
