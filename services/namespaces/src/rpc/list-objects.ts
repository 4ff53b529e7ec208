import { listRecords } from "../actions/records.js";
import type { Context, ObjectHandlers } from "../context.js";
import { toObject } from "../domain/object.js";

export const listObjects =
  (ctx: Context): ObjectHandlers["listObjects"] =>
  async (request, { caller }) => {
    const { items, page } = await listRecords(ctx, ctx.objects, request, caller);
    return { objects: items.map(toObject), page };
  };
