import { receiveUpload } from "@ci/kit/bytes/upload";
import { userOf } from "@ci/kit/rpc/caller";
import { asFault } from "@ci/kit/rpc/fault";
import { complain, validated } from "@ci/kit/rpc/validated";
import { headBytes } from "@ci/qcow2/header";
import { dropContent, peek, putOptions } from "../actions/content.js";
import { checkTarget, createImage } from "../actions/create-image.js";
import { contentProblems } from "../actions/examine.js";
import type { Context, Handlers } from "../context.js";
import { imageChanged } from "../domain/events.js";
import { type ImageDoc, toImage } from "../domain/image.js";
import { contentComplaints, fileTooLarge } from "../domain/qcow2.js";

/** Marks the content as used. If the sweep has deleted it, deletes the image. */
async function keep(ctx: Context, doc: ImageDoc, blobId: string): Promise<void> {
  try {
    await ctx.contents.keep(blobId);
  } catch (error) {
    const at = ctx.now();
    await ctx.images.remove(doc, at, imageChanged({ at }, "deleted", toImage(doc)));
    throw error;
  }
}

export const uploadImage = (ctx: Context): Handlers["uploadImage"] =>
  validated(async (request, { caller, signal }) => {
    const userId = userOf(caller);
    const { imageBytes } = ctx.config;
    const { header: target, content: bytes } = await receiveUpload(request);
    const { ownerId = userId, complaints } = await checkTarget(ctx, userId, target);
    const { head, whole } = await peek(bytes, headBytes);
    const tooLarge = (target.size ?? 0) > imageBytes ? [fileTooLarge(imageBytes)] : [];
    const file = head.length > 0 ? [...contentComplaints(head, ctx.config), ...tooLarge] : ["File field required"];
    return {
      complaints: file.length > 0 ? { ...complaints, file } : complaints,
      async change() {
        const stored = await ctx.contents.put(whole, await putOptions(ctx, ownerId, signal));
        const { blobId, sizeBytes: size, sha256 } = stored;
        const drop = async (error: unknown): Promise<never> => {
          await dropContent(ctx, blobId);
          throw error;
        };
        const examine = async () => complain({ file: await contentProblems(ctx, stored, ownerId, signal) });
        await examine().catch(drop);
        const created = createImage(ctx, userId, target, () => ({ blobId, size, sha256 }));
        // After any other error the image may have been stored, so leave the content to the sweep.
        const doc = await created.catch((error) =>
          asFault(error).code === "invalid" ? drop(error) : Promise.reject(error),
        );
        await keep(ctx, doc, blobId);
        return { image: toImage(doc) };
      },
    };
  });
