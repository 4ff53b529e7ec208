import { Fault } from "../rpc/fault.js";
import { type BlobStore, bytesOf } from "./blob-store.js";
import { inMessages, readAhead } from "./chunked.js";

/** Yields the bytes from `start` up to, not including, `end`, in messages. The first read throws `not_found` for unknown content. */
export async function* readBlob(
  { files, chunks }: BlobStore,
  blobId: string,
  range: { start?: number; end?: number } = {},
): AsyncGenerator<Buffer> {
  const file = await files.findOne({ _id: blobId });
  if (!file) throw new Fault("not_found", "No such content");
  let at = range.start ?? 0;
  const end = Math.min(range.end ?? file.length, file.length);
  if (at >= end) return;
  const first = Math.floor(at / file.chunkSize);
  const wanted = { files_id: blobId, n: { $gte: first, $lt: Math.ceil(end / file.chunkSize) } };
  for await (const { n, data } of readAhead(chunks.find(wanted).sort({ n: 1 }).batchSize(1))) {
    const begin = n * file.chunkSize;
    const bytes = bytesOf(data).subarray(at - begin, end - begin);
    if (at < begin || bytes.length === 0) break;
    yield* inMessages(bytes);
    at += bytes.length;
  }
  if (at < end) throw new Fault("internal", "Stored content is incomplete");
}
