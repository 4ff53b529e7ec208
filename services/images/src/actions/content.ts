import type { PutOptions } from "@ci/kit/bytes/blobs";
import { invalid } from "@ci/kit/rpc/fault";
import type { Context } from "../context.js";
import { fileTooLarge } from "../domain/qcow2.js";

/** Reads at least `bytes` of a stream, if it has them. Returns them as `head`, and as `whole` the stream from its start. */
export async function peek(stream: AsyncIterable<Uint8Array>, bytes: number) {
  const source = stream[Symbol.asyncIterator]();
  const read: Uint8Array[] = [];
  for (let sizeBytes = 0; sizeBytes < bytes; ) {
    const step = await source.next();
    if (step.done) break;
    read.push(step.value);
    sizeBytes += step.value.length;
  }
  async function* whole(): AsyncGenerator<Uint8Array> {
    yield* read;
    for (let step = await source.next(); !step.done; step = await source.next()) yield step.value;
  }
  return { head: Buffer.concat(read).subarray(0, bytes), whole: whole() };
}

/** Returns how to store the content of an image of this user. Too many bytes fail with `invalid`. */
export function putOptions(ctx: Context, ownerId: number, signal: AbortSignal): Promise<PutOptions> {
  const { imageBytes } = ctx.config;
  const tooLarge = () => invalid({ file: [fileTooLarge(imageBytes)] });
  return ctx.images.withinRoom(ownerId, { maxBytes: imageBytes, tooLarge, signal });
}

/** Deletes unused content. If that fails, the sweep does it. */
export const dropContent = (ctx: Context, blobId: string): Promise<void> =>
  ctx.contents.delete(blobId).catch((err) => ctx.log.warn({ err, blobId }, "the sweep will remove this content"));
