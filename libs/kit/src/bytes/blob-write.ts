import { createHash, type Hash, randomUUID } from "node:crypto";
import { Binary } from "mongodb";
import { Fault } from "../rpc/fault.js";
import { type BlobStore, bytesOf, chunkBytes, contentGone, markedNow, removeBlob, unclaimed } from "./blob-store.js";
import { abortable, inChunks, readAhead } from "./chunked.js";

const headBytes = 1445;
const touchEveryChunks = 16;
/** Chunks wait neither for the disk nor for other members. Touches do both, so chunks are never far behind. */
const quick = { writeConcern: { w: 1, journal: false } } as const;

/** Complete content. The hash is lower-case hex; `head` is for sniffing the type. */
export type Stored = { blobId: string; sizeBytes: number; sha256: string; head: Buffer };

export type PutOptions = {
  readonly maxBytes: number;
  readonly tooLarge: () => Fault;
  readonly signal?: AbortSignal;
};

type Hashes = { readonly sha256: Hash; readonly also: Hash | undefined };
/** An unfinished upload; `sizeBytes` and `head` describe what has arrived so far. */
export type Begun = { readonly blobId: string; n: number; sizeBytes: number; head: Buffer } & Hashes;

const emptyUpload = (blobId: string, also?: Hash): Begun => {
  const hashes = { sha256: createHash("sha256"), also };
  return { blobId, n: 0, sizeBytes: 0, head: Buffer.alloc(0), ...hashes };
};

const addPart = (begun: Begun, part: Uint8Array): void => {
  if (begun.head.length < headBytes)
    begun.head = Buffer.concat([begun.head, part.subarray(0, headBytes - begun.head.length)]);
  begun.sizeBytes += part.length;
  begun.sha256.update(part);
  begun.also?.update(part);
};

/** Checks that a majority has every chunk, because a crash or a new primary may have lost some. */
async function checkAll({ chunks }: BlobStore, { blobId, n }: Begun): Promise<void> {
  const count = await chunks.countDocuments({ files_id: blobId }, { readConcern: "majority" });
  if (count !== n) throw new Fault("unavailable", "A part of the stored content was lost");
}

/** Renews the mark. A sweep judges by its age whether an upload is dead. */
async function touch({ uploads }: BlobStore, blobId: string): Promise<void> {
  const { matchedCount } = await uploads.updateOne({ _id: blobId, ...unclaimed }, [markedNow]);
  if (matchedCount === 0) throw contentGone();
}

async function appendChunks(store: BlobStore, begun: Begun, parts: AsyncIterable<Uint8Array>): Promise<void> {
  const { blobId } = begun;
  let storing: Promise<unknown> = Promise.resolve();
  try {
    for await (const chunk of inChunks(parts, chunkBytes)) {
      await storing;
      if (begun.n > 0 && begun.n % touchEveryChunks === 0) await touch(store, blobId);
      storing = store.chunks.insertOne({ files_id: blobId, n: begun.n++, data: new Binary(chunk) }, quick);
      // This is awaited with the next chunk or at the end. Until then, an error must not count as unhandled.
      storing.catch(() => undefined);
    }
  } finally {
    // Wait even after a failure, because an unfinished insert would outlive the clean-up.
    await storing.catch(() => undefined);
  }
  await storing;
}

export const blobUploads = (store: BlobStore) => {
  const { uploads, files, chunks } = store;

  /** Begins an upload, marked so that no sweep removes it yet. `also` is a second hash to compute. */
  const begin = async (also?: Hash): Promise<Begun> => {
    const begun = emptyUpload(randomUUID(), also);
    await uploads.updateOne({ _id: begun.blobId }, [markedNow], { upsert: true });
    return begun;
  };

  /**
   * Continues an interrupted upload after its last chunk but one; the last one has to be sent again. Returns undefined
   * if a sweep has removed it. Reads everything back, for the hashes and because the last writer may still be alive:
   * then one of the two fails, since chunks are never overwritten.
   */
  const resume = async (blobId: string, signal?: AbortSignal): Promise<Begun | undefined> => {
    const { matchedCount } = await uploads.updateOne({ _id: blobId, ...unclaimed }, [markedNow]);
    if (matchedCount === 0) return undefined;
    const begun = emptyUpload(blobId);
    let last: Buffer | undefined;
    let next = 0;
    for await (const { n, data } of readAhead(chunks.find({ files_id: blobId }).sort({ n: 1 }).batchSize(1))) {
      signal?.throwIfAborted();
      if (n !== next++ || data.length() !== chunkBytes) break;
      if (last) addPart(begun, last);
      if (last) begun.n++;
      last = bytesOf(data);
    }
    await chunks.deleteMany({ files_id: blobId, n: { $gte: begun.n } });
    await files.deleteOne({ _id: blobId });
    return begun;
  };

  /** Stores the rest of an upload. After a failure what is stored stays, to be resumed, deleted or swept. */
  const append = async (
    begun: Begun,
    stream: AsyncIterable<Uint8Array>,
    { maxBytes, tooLarge, signal }: PutOptions,
  ): Promise<Stored> => {
    const { blobId, sha256 } = begun;
    const counted = async function* () {
      for await (const part of abortable(signal, stream)) {
        if (begun.sizeBytes + part.length > maxBytes) throw tooLarge();
        addPart(begun, part);
        yield part;
      }
    };
    await appendChunks(store, begun, counted());
    await touch(store, blobId);
    await checkAll(store, begun);
    const file = { length: begun.sizeBytes, chunkSize: chunkBytes, uploadDate: new Date(), filename: blobId };
    await files.insertOne({ _id: blobId, ...file });
    const { sizeBytes, head } = begun;
    return { blobId, sizeBytes, sha256: sha256.digest("hex"), head };
  };

  /** Stores a stream. A failed put leaves nothing behind. A successful one must be kept, or a sweep removes it. */
  const put = async (stream: AsyncIterable<Uint8Array>, options: PutOptions, also?: Hash): Promise<Stored> => {
    const begun = await begin(also);
    try {
      return await append(begun, stream, options);
    } catch (error) {
      await removeBlob(store, begun.blobId).catch(() => {});
      throw error;
    }
  };

  return { begin, resume, append, put };
};
