import { removeRecord, seeRecord } from "../actions/records.js";
import type { Context, ObjectHandlers } from "../context.js";
import { objectChanged } from "../domain/events.js";
import { toObject } from "../domain/object.js";

export const deleteObject =
  (ctx: Context): ObjectHandlers["deleteObject"] =>
  async ({ id }, { caller }) => {
    const { blobId, namespaceId } = await seeRecord(ctx, ctx.objects, id, caller, "write");
    await ctx.objectBlobs.release(blobId);
    await removeRecord(ctx, ctx.objects, id, caller, (act, doc) => objectChanged(act, "deleted", toObject(doc)));
    // The record is deleted. If this fails, the sweep deletes the content.
    await ctx.objectBlobs
      .delete(blobId)
      .catch((err) => ctx.log.warn({ err, blobId }, "the sweep will remove this content"));
    return { namespaceId };
  };
