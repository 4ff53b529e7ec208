import { dropContent } from "../content.js";
import type { Context, Handlers } from "../context.js";
import { toImage } from "../domain/image.js";
import { imageChanged } from "../events.js";
import { seeImage } from "./see.js";

export const deleteImage =
  (ctx: Context): Handlers["deleteImage"] =>
  async ({ id }, { caller }) => {
    for (;;) {
      const doc = await seeImage(ctx, caller, id, "write");
      const { blobId } = doc;
      if (blobId) await ctx.contents.release(blobId);
      const at = ctx.now();
      const event = imageChanged({ at, actorId: caller.userId }, "deleted", toImage(doc));
      // Otherwise it was deleted, changed hands or got its content meanwhile: look again.
      const removed = await ctx.images.remove(doc, at, event);
      if (!removed) continue;
      for (const left of [blobId, removed.waiting]) if (left) await dropContent(ctx, left);
      return {};
    }
  };
