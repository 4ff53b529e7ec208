import type { NothingYet } from "@ci/kit/process/loop";
import { wakeCron } from "../actions/fire-cron.js";
import type { Context } from "../context.js";

export const restMs = 16_000;

/** Runs the cron jobs that are due and returns their number. A failure of one does not stop the others. */
export async function fireCrons(ctx: Context): Promise<number | NothingYet> {
  const now = ctx.now();
  const soon = await ctx.crons.waking(new Date(now.getTime() + restMs));
  const waking = soon.filter(({ wakeAt }) => wakeAt! <= now);
  if (waking.length === 0) return soon[0] ? { nextInMs: soon[0].wakeAt!.getTime() - now.getTime() } : 0;
  const results = await Promise.allSettled(waking.map((doc) => wakeCron(ctx, doc)));
  const failures = results.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} cron jobs could not be run`);
  return waking.length;
}
