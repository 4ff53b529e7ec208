import { fairly } from "@ci/kit/process/fairly";
import type { NothingYet } from "@ci/kit/process/loop";
import { wakeCron } from "../actions/fire-cron.js";
import type { Context } from "../context.js";

export const restMs = 16_000;

const maxAtOnce = 10;

/** Wakes a cron job, unless another replica has done so meanwhile. */
async function wake(ctx: Context, id: number, now: Date): Promise<void> {
  const doc = await ctx.crons.get(id);
  if (doc?.wakeAt && doc.wakeAt <= now) await wakeCron(ctx, doc);
}

/** Runs the cron jobs that are due and returns their number. A failure of one does not stop the others. */
export async function fireCrons(ctx: Context): Promise<number | NothingYet> {
  const now = ctx.now();
  const soon = await ctx.crons.waking(new Date(now.getTime() + restMs));
  const waking = soon.filter(({ wakeAt }) => wakeAt <= now);
  if (waking.length === 0) return soon[0] ? { nextInMs: soon[0].wakeAt.getTime() - now.getTime() } : 0;
  const inTurn = fairly<number>(maxAtOnce, waking.length, "Too many cron jobs");
  const results = await Promise.allSettled(waking.map(({ _id, userId }) => inTurn(userId, () => wake(ctx, _id, now))));
  const failures = results.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} cron jobs could not be run`);
  return waking.length;
}
