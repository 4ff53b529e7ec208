import type { PutOptions } from "@ci/kit/bytes/blobs";
import { invalid } from "@ci/kit/rpc/fault";
import type { Context } from "./context.js";
import { fileTooLarge } from "./domain/qcow2.js";

/** Reads at least so many bytes of a stream, if it has them; answers those and the whole content, them included. */
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

/** How the bytes of an image are stored. Fault `invalid` if they are too many. */
export const storing = ({ config: { imageBytes } }: Pick<Context, "config">, signal: AbortSignal): PutOptions => ({
  maxBytes: imageBytes,
  tooLarge: () => invalid({ file: [fileTooLarge(imageBytes)] }),
  signal,
});

/** The bytes are of no use to anybody; should removing them fail, the sweep does it. */
export const dropContent = (ctx: Context, blobId: string): Promise<void> =>
  ctx.contents.delete(blobId).catch((err) => ctx.log.warn({ err, blobId }, "the sweep will remove this content"));
