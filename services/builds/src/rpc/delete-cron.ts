import type { Context, CronHandlers } from "../context.js";
import { cronEvent, gone } from "../domain/cron.js";
import { seeCron } from "./see.js";

export const deleteCron =
  (ctx: Context): CronHandlers["deleteCron"] =>
  async ({ id }, { caller }) => {
    for (;;) {
      const was = await seeCron(ctx, caller, id, "write");
      const act = { at: ctx.now(), actorId: caller.userId };
      if (await ctx.crons.change(was, gone(was, act.at), (doc) => cronEvent(doc, "deleted", act))) return {};
      // It was changed meanwhile: look again.
    }
  };
