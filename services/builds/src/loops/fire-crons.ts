import type { NothingYet } from "@ci/kit/process/loop";
import { sharesOf } from "@ci/kit/turns/shares";
import { wakeCron } from "../actions/crons/fire-cron.js";
import { ownTask } from "../actions/own-task.js";
import type { Context } from "../context.js";

export const restMs = 16_000;

const slots = 10;

/** Wakes a cron job, unless another replica has done so meanwhile. */
async function wake(ctx: Context, id: number, now: Date): Promise<void> {
  const doc = await ctx.crons.get(id);
  if (doc?.wakeAt && doc.wakeAt <= now) await wakeCron(ctx, doc);
}

/**
 * Returns a pass that starts the cron jobs that are due, in shares of their users, and returns how many run. Calls `ended`
 * after each that has not failed.
 */
export function firingCrons(ctx: Context, ended: () => void): () => Promise<number | NothingYet> {
  const shares = sharesOf<number>(slots);
  const running = new Set<number>();

  function start(id: number, userId: number, now: Date): void {
    let failed = false;
    const task = wake(ctx, id, now)
      .catch((err) => {
        failed = true;
        if (!ctx.signal.aborted) ctx.log.warn({ err, cron: id }, "cron job not run; it will be retried");
      })
      .finally(() => running.delete(id));
    running.add(id);
    shares.start(userId, ownTask(ctx, task), () => failed || ended());
  }

  return async () => {
    const now = ctx.now();
    for (;;) {
      const soon = await ctx.crons.waking(new Date(now.getTime() + restMs), shares.sated());
      const before = running.size;
      for (const { _id, userId, wakeAt } of soon)
        if (wakeAt <= now && !running.has(_id) && shares.mayStart(userId)) start(_id, userId, now);
      const next = soon[0]?.wakeAt.getTime();
      if (running.size === 0) return next === undefined ? 0 : { nextInMs: next - now.getTime() };
      if (shares.isFull() || running.size === before) return shares.running();
    }
  };
}
