import { validated } from "@ci/kit/rpc/validated";
import { seeRecord } from "../actions/records.js";
import type { Context, KeyHandlers } from "../context.js";
import { keyChanged } from "../domain/events.js";
import { toKey } from "../domain/key.js";

export const updateKey = (ctx: Context): KeyHandlers["updateKey"] =>
  validated(async ({ id, config }, { caller }) => {
    const see = () => seeRecord(ctx, ctx.keys, id, caller, "write");
    const found = await see();
    return {
      complaints: {},
      async change() {
        // If the record was deleted or changed owner since it was read, read it again.
        for (let read = found; ; read = await see()) {
          if (config === undefined) return { key: toKey(read) };
          const act = { at: ctx.now(), actorId: caller.userId };
          const set = { config, updatedAt: act.at };
          const changed = await ctx.keys.change(read, set, keyChanged(act, "updated", toKey({ ...read, ...set })));
          if (changed) return { key: toKey(changed) };
        }
      },
    };
  });
