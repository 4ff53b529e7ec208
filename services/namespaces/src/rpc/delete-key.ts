import { removeRecord } from "../actions/records.js";
import type { Context, KeyHandlers } from "../context.js";
import { keyChanged } from "../domain/events.js";
import { toKey } from "../domain/key.js";

export const deleteKey =
  (ctx: Context): KeyHandlers["deleteKey"] =>
  async ({ id }, { caller }) => {
    const { namespaceId } = await removeRecord(ctx, ctx.keys, id, caller, (act, doc) =>
      keyChanged(act, "deleted", toKey(doc)),
    );
    return { namespaceId };
  };
