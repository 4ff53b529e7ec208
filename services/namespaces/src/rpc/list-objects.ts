import type { Context } from "../context.js";
import { toObject } from "../domain/object.js";
import type { ObjectHandlers } from "../resource-parts.js";
import { listRecords } from "./see-record.js";

export const listObjects =
  (ctx: Context): ObjectHandlers["listObjects"] =>
  async (ask, { caller }) => {
    const { items, page } = await listRecords(ctx, ctx.objects, ask, caller);
    return { objects: items.map(toObject), page };
  };
