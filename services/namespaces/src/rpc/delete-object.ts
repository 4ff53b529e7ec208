import type { Context } from "../context.js";
import { toObject } from "../domain/object.js";
import { objectChanged } from "../resource-events.js";
import type { ObjectHandlers } from "../resource-parts.js";
import { removeRecord, seeRecord } from "./see-record.js";

export const deleteObject =
  (ctx: Context): ObjectHandlers["deleteObject"] =>
  async ({ id }, { caller }) => {
    const { blobId } = await seeRecord(ctx, ctx.objects, id, caller, "write");
    await ctx.objectBlobs.release(blobId);
    await removeRecord(ctx, ctx.objects, id, caller, (act, doc) => objectChanged(act, "deleted", toObject(doc)));
    // The record is gone whatever happens to the bytes now: what stays of them is found by the sweep.
    await ctx.objectBlobs.delete(blobId).catch((err) => ctx.log.warn({ err, blobId }, "the sweep will remove it"));
    return {};
  };
