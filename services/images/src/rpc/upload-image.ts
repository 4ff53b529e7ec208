import { receiveUpload } from "@ci/kit/bytes/upload";
import { asFault } from "@ci/kit/rpc/fault";
import { refuse } from "@ci/kit/rpc/refuse";
import { headBytes } from "@ci/qcow2/header";
import { dropContent, peek, storing } from "../content.js";
import type { Context, Handlers } from "../context.js";
import { createImage, wishComplaints } from "../create.js";
import { type ImageDoc, toImage } from "../domain/image.js";
import { contentComplaints } from "../domain/qcow2.js";
import { imageChanged } from "../events.js";
import { contentProblems } from "../examine.js";
import { userOf } from "./see.js";

/** Says that the content is used. If it was swept meanwhile, the image is no more. */
async function keep(ctx: Context, doc: ImageDoc, blobId: string): Promise<void> {
  try {
    await ctx.contents.keep(blobId);
  } catch (error) {
    const at = ctx.now();
    await ctx.images.remove(doc, at, imageChanged({ at }, "deleted", toImage(doc)));
    throw error;
  }
}

export const uploadImage =
  (ctx: Context): Handlers["uploadImage"] =>
  async (request, { caller, signal }) => {
    const userId = userOf(caller);
    const { header: wish, content: bytes } = await receiveUpload(request);
    const complaints = await wishComplaints(ctx, userId, wish);
    const { head, whole } = await peek(bytes, headBytes);
    refuse({ ...complaints, file: head.length > 0 ? contentComplaints(head, ctx.config) : ["File field required"] });
    const stored = await ctx.contents.put(whole, storing(ctx, signal));
    const { blobId, sizeBytes: size, sha256 } = stored;
    const make = async () => {
      refuse({ file: await contentProblems(ctx, stored, signal) });
      return createImage(ctx, userId, wish, () => ({ blobId, size, sha256 }));
    };
    const doc = await make().catch(async (error) => {
      // Of any other error it is not known whether the image was stored; the sweep finds out.
      if (asFault(error).code === "invalid") await dropContent(ctx, blobId);
      throw error;
    });
    await keep(ctx, doc, blobId);
    return { image: toImage(doc) };
  };
