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
export type UploadState = { readonly blobId: string; n: number; sizeBytes: number; head: Buffer } & Hashes;

const emptyUpload = (blobId: string, also?: Hash): UploadState => {
  const hashes = { sha256: createHash("sha256"), also };
  return { blobId, n: 0, sizeBytes: 0, head: Buffer.alloc(0), ...hashes };
};

const addPart = (upload: UploadState, part: Uint8Array): void => {
  if (upload.head.length < headBytes)
    upload.head = Buffer.concat([upload.head, part.subarray(0, headBytes - upload.head.length)]);
  upload.sizeBytes += part.length;
  upload.sha256.update(part);
  upload.also?.update(part);
};

/** Checks that a majority has every chunk, because a crash or a new primary may have lost some. */
async function checkAll({ chunks }: BlobStore, { blobId, n }: UploadState): Promise<void> {
  const count = await chunks.countDocuments({ files_id: blobId }, { readConcern: "majority" });
  if (count !== n) throw new Fault("unavailable", "A part of the stored content was lost");
}

/** Renews the mark. A sweep judges by its age whether an upload is dead. */
async function touch({ uploads }: BlobStore, blobId: string): Promise<void> {
  const { matchedCount } = await uploads.updateOne({ _id: blobId, ...unclaimed }, [markedNow]);
  if (matchedCount === 0) throw contentGone();
}

async function appendChunks(store: BlobStore, upload: UploadState, parts: AsyncIterable<Uint8Array>): Promise<void> {
  const { blobId } = upload;
  let storing: Promise<unknown> = Promise.resolve();
  try {
    for await (const chunk of inChunks(parts, chunkBytes)) {
      await storing;
      if (upload.n > 0 && upload.n % touchEveryChunks === 0) await touch(store, blobId);
      storing = store.chunks.insertOne({ files_id: blobId, n: upload.n++, data: new Binary(chunk) }, quick);
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
  const begin = async (also?: Hash): Promise<UploadState> => {
    const upload = emptyUpload(randomUUID(), also);
    await uploads.updateOne({ _id: upload.blobId }, [markedNow], { upsert: true });
    return upload;
  };

  /**
   * Continues an interrupted upload after its last chunk but one; the last one has to be sent again. Returns undefined
   * if a sweep has removed it. Reads everything back, for the hashes and because the last writer may still be alive:
   * then one of the two fails, since chunks are never overwritten.
   */
  const resume = async (blobId: string, signal?: AbortSignal): Promise<UploadState | undefined> => {
    const { matchedCount } = await uploads.updateOne({ _id: blobId, ...unclaimed }, [markedNow]);
    if (matchedCount === 0) return undefined;
    const upload = emptyUpload(blobId);
    let last: Buffer | undefined;
    let next = 0;
    for await (const { n, data } of readAhead(chunks.find({ files_id: blobId }).sort({ n: 1 }).batchSize(1))) {
      signal?.throwIfAborted();
      if (n !== next++ || data.length() !== chunkBytes) break;
      if (last) addPart(upload, last);
      if (last) upload.n++;
      last = bytesOf(data);
    }
    await chunks.deleteMany({ files_id: blobId, n: { $gte: upload.n } });
    await files.deleteOne({ _id: blobId });
    return upload;
  };

  /** Stores the rest of an upload. After a failure what is stored stays, to be resumed, deleted or swept. */
  const append = async (
    upload: UploadState,
    stream: AsyncIterable<Uint8Array>,
    { maxBytes, tooLarge, signal }: PutOptions,
  ): Promise<Stored> => {
    const { blobId, sha256 } = upload;
    const counted = async function* () {
      for await (const part of abortable(signal, stream)) {
        if (upload.sizeBytes + part.length > maxBytes) throw tooLarge();
        addPart(upload, part);
        yield part;
      }
    };
    await appendChunks(store, upload, counted());
    await touch(store, blobId);
    await checkAll(store, upload);
    const file = { length: upload.sizeBytes, chunkSize: chunkBytes, uploadDate: new Date(), filename: blobId };
    await files.insertOne({ _id: blobId, ...file });
    const { sizeBytes, head } = upload;
    return { blobId, sizeBytes, sha256: sha256.digest("hex"), head };
  };

  /** Stores a stream. A failed put leaves nothing behind. A successful one must be kept, or a sweep removes it. */
  const put = async (stream: AsyncIterable<Uint8Array>, options: PutOptions, also?: Hash): Promise<Stored> => {
    const upload = await begin(also);
    try {
      return await append(upload, stream, options);
    } catch (error) {
      await removeBlob(store, upload.blobId).catch(() => {});
      throw error;
    }
  };

  return { begin, resume, append, put };
};
