import { Fault } from "@ci/kit/fault";
import type { UploadImageRequest } from "@ci/proto/images/v1/images";
import { dropContent, peek, putContent } from "../content.js";
import type { Context, Handlers } from "../context.js";
import { createImage, refuse, wishComplaints } from "../create.js";
import { type ImageDoc, toImage } from "../domain/image.js";
import { contentComplaints, headBytes } from "../domain/qcow2.js";
import { imageChanged } from "../events.js";
import { userOf } from "./see.js";

/** The header and, after it, the bytes as they come. */
async function split(request: AsyncIterable<UploadImageRequest>) {
  const parts = request[Symbol.asyncIterator]();
  const next = async () => {
    const step = await parts.next();
    return step.done ? undefined : step.value.part;
  };
  const header = await next();
  if (header?.$case !== "header") throw new Fault("invalid", "The header comes first");
  async function* bytes(): AsyncGenerator<Uint8Array> {
    for (let part = await next(); part; part = await next()) {
      if (part.$case !== "chunk") throw new Fault("invalid", "There is one header");
      yield part.value;
    }
  }
  return { wish: header.value, bytes: bytes() };
}

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
    const { wish, bytes } = await split(request);
    const complaints = await wishComplaints(ctx, userId, wish);
    const { head, whole } = await peek(bytes, headBytes);
    refuse({ ...complaints, file: contentComplaints(head, ctx.config) });
    const { blobId, sizeBytes: size, sha256 } = await putContent(ctx, whole, signal);
    const doc = await createImage(ctx, userId, wish, () => ({ blobId, size, sha256 })).catch(async (error) => {
      await dropContent(ctx, blobId);
      throw error;
    });
    await keep(ctx, doc, blobId);
    return { image: toImage(doc) };
  };
