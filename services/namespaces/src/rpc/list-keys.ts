import { listRecords } from "../actions/records.js";
import type { Context, KeyHandlers } from "../context.js";
import { toKey } from "../domain/key.js";

export const listKeys =
  (ctx: Context): KeyHandlers["listKeys"] =>
  async (request, { caller }) => {
    const { items, page } = await listRecords(ctx, ctx.keys, request, caller);
    return { keys: items.map(toKey), page };
  };
