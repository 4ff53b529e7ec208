import type { Context } from "../context.js";
import { toKey } from "../domain/key.js";
import { keyChanged } from "../resource-events.js";
import type { KeyHandlers } from "../resource-parts.js";
import { seeRecord } from "./see-record.js";

export const updateKey =
  (ctx: Context): KeyHandlers["updateKey"] =>
  async ({ id, config }, { caller }) => {
    for (;;) {
      const was = await seeRecord(ctx, ctx.keys, id, caller, "write");
      if (config === undefined) return { key: toKey(was) };
      const act = { at: ctx.now(), actorId: caller.userId };
      const set = { config, updatedAt: act.at };
      const changed = await ctx.keys.change(was, set, keyChanged(act, "updated", toKey({ ...was, ...set })));
      if (changed) return { key: toKey(changed) };
      // It was deleted or changed hands meanwhile: look again.
    }
  };
