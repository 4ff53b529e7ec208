import { dropContent } from "../actions/content.js";
import { seeImage } from "../actions/see-image.js";
import type { Context, Handlers } from "../context.js";
import { imageChanged } from "../domain/events.js";
import { toImage } from "../domain/image.js";

export const deleteImage =
  (ctx: Context): Handlers["deleteImage"] =>
  async ({ id }, { caller }) => {
    for (;;) {
      const doc = await seeImage(ctx, caller, id, "write");
      const { blobId } = doc;
      if (blobId) await ctx.contents.release(blobId);
      const at = ctx.now();
      const event = imageChanged({ at, actorId: caller.userId }, "deleted", toImage(doc));
      const removed = await ctx.images.remove(doc, at, event);
      // The image was deleted, changed owner or got its content since it was read. Read it again.
      if (!removed) continue;
      for (const unused of [blobId, removed.partialBlobId]) if (unused) await dropContent(ctx, unused);
      return { namespaceId: doc.namespaceId };
    }
  };
