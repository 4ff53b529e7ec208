import { seeCron } from "../actions/see.js";
import type { Context, CronHandlers } from "../context.js";
import { asDeleted, cronEvent } from "../domain/cron.js";

export const deleteCron =
  (ctx: Context): CronHandlers["deleteCron"] =>
  async ({ id }, { caller }) => {
    for (;;) {
      const was = await seeCron(ctx, caller, id, "write");
      const act = { at: ctx.now(), actorId: caller.userId };
      if (await ctx.crons.change(was, asDeleted(was, act.at), (doc) => cronEvent(doc, "deleted", act)))
        return { namespaceId: was.namespaceId };
    }
  };
