import type { Context } from "../context.js";
import { toKey } from "../domain/key.js";
import type { KeyHandlers } from "../resource-parts.js";
import { listRecords } from "./see-record.js";

export const listKeys =
  (ctx: Context): KeyHandlers["listKeys"] =>
  async (ask, { caller }) => {
    const { items, page } = await listRecords(ctx, ctx.keys, ask, caller);
    return { keys: items.map(toKey), page };
  };
