import type { Context } from "../context.js";
import { toKey } from "../domain/key.js";
import { keyChanged } from "../resource-events.js";
import type { KeyHandlers } from "../resource-parts.js";
import { removeRecord } from "./see-record.js";

export const deleteKey =
  (ctx: Context): KeyHandlers["deleteKey"] =>
  async ({ id }, { caller }) => {
    await removeRecord(ctx, ctx.keys, id, caller, (act, doc) => keyChanged(act, "deleted", toKey(doc)));
    return {};
  };
