import { wakeCron } from "../actions/fire-cron.js";
import type { Context } from "../context.js";

/** Runs the cron jobs that are due and returns their number. A failure of one does not stop the others. */
export async function fireCrons(ctx: Context): Promise<number> {
  const waking = await ctx.crons.waking(ctx.now());
  const results = await Promise.allSettled(waking.map((doc) => wakeCron(ctx, doc)));
  const failures = results.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} cron jobs could not be run`);
  return waking.length;
}
