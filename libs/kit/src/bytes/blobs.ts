import { createHash, type Hash, randomUUID } from "node:crypto";
import { Binary, type Db } from "mongodb";
import { Fault } from "../rpc/fault.js";
import { abortable, inChunks, readAhead } from "./chunked.js";

const chunkBytes = 1024 * 1024;
/** What is read goes out in smaller pieces: each is copied several times on its way, and copies of 1 MiB keep V8 busy. */
const pieceBytes = 128 * 1024;
const headBytes = 1445;
const touchEveryChunks = 16;
/** A chunk waits neither for the disk nor for other members; the touches do, so they are never far behind. */
const quick = { writeConcern: { w: 1, journal: false } } as const;

/** What is known of stored content once all of it is there. The hash is lower-case hex; `head` is for sniffing the type. */
export type Stored = { blobId: string; sizeBytes: number; sha256: string; head: Buffer };

export type PutOptions = {
  /** The largest size that is accepted. */
  readonly maxBytes: number;
  readonly tooLarge: () => Fault;
  readonly signal?: AbortSignal;
};

/** Content of which not all is there yet; `sizeBytes` and `head` tell of what has come so far. */
export type Begun = { readonly blobId: string; n: number; sizeBytes: number; head: Buffer } & Hashes;
type Hashes = { readonly sha256: Hash; readonly also: Hash | undefined };

type Upload = { _id: string; at: Date; claim?: string; deleted?: true; released?: true };
type File = { _id: string; length: number; chunkSize: number; uploadDate: Date; filename: string };
type Chunk = { files_id: string; n: number; data: Binary };

const nothingOf = (blobId: string, also?: Hash): Begun => {
  const hashes = { sha256: createHash("sha256"), also };
  return { blobId, n: 0, sizeBytes: 0, head: Buffer.alloc(0), ...hashes };
};

const take = (begun: Begun, part: Uint8Array): void => {
  if (begun.head.length < headBytes)
    begun.head = Buffer.concat([begun.head, part.subarray(0, headBytes - begun.head.length)]);
  begun.sizeBytes += part.length;
  begun.sha256.update(part);
  begun.also?.update(part);
};

/** By the clock of MongoDB: whoever sweeps may be another process than the one that puts. */
const markedNow = { $set: { at: "$$NOW" } } as const;

const bytesOf = (data: Binary): Buffer => Buffer.from(data.buffer.buffer, data.buffer.byteOffset, data.length());

/**
 * Bytes in MongoDB, in the layout of GridFS. The driver's own streams are not used: destroying one leaves an insert
 * under way, which then outlives the clean-up, and reading holds 16 MB per reader.
 *
 * A mark in `<bucket>.uploads` stands before the first byte and stays until `keep`, so whatever a crash leaves behind
 * is found by `sweep`. The order for a caller: put, store the record, keep; and to remove: release, remove the record,
 * delete. What may come in several sittings: begin, remember the id, append; after a crash resume and append; keep.
 */
export const blobs = (db: Db, bucketName: string) => {
  const uploads = db.collection<Upload>(`${bucketName}.uploads`);
  const files = db.collection<File>(`${bucketName}.files`);
  const chunks = db.collection<Chunk>(`${bucketName}.chunks`);
  const unclaimed = { claim: { $exists: false }, deleted: { $exists: false } };

  const gone = () => new Fault("unavailable", "The stored content was removed meanwhile");

  /** What a crash or a new primary has taken is not there any more: only what a majority has stays. */
  const checkAll = async ({ blobId, n }: Begun) => {
    const there = await chunks.countDocuments({ files_id: blobId }, { readConcern: "majority" });
    if (there !== n) throw new Fault("unavailable", "A part of the stored content was lost");
  };

  /** Makes the indexes that every call here relies on. */
  const ensureIndexes = async () => {
    await chunks.createIndex({ files_id: 1, n: 1 }, { unique: true });
    await uploads.createIndex({ at: 1 });
  };

  /** Removes content; harmless if there is none. */
  const remove = async (blobId: string) => {
    const mark = { deleted: true as const, at: { $ifNull: ["$at", "$$NOW"] } };
    await uploads.updateOne({ _id: blobId }, [{ $set: mark }], { upsert: true });
    await files.deleteOne({ _id: blobId });
    await chunks.deleteMany({ files_id: blobId });
    await uploads.deleteOne({ _id: blobId });
  };

  // A sweep takes an upload for dead by the age of its mark.
  const touch = async (blobId: string) => {
    const { matchedCount } = await uploads.updateOne({ _id: blobId, ...unclaimed }, [markedNow]);
    if (matchedCount === 0) throw gone();
  };

  /**
   * Makes place for content. The mark that keeps the sweep away is there before the first byte. `also` is one more hash
   * of the content, for who needs one.
   */
  const begin = async (also?: Hash): Promise<Begun> => {
    const begun = nothingOf(randomUUID(), also);
    await uploads.updateOne({ _id: begun.blobId }, [markedNow], { upsert: true });
    return begun;
  };

  /**
   * Takes up what was begun and broken off: answers what there is, up to its last chunk, which comes again so that there
   * is always something to ask for; undefined if a sweep was quicker. All of it is read back, for the hashes and because
   * nobody knows what its last writer still did. Should that one be alive after all, one of both fails at what is there
   * already: nothing is ever written over, so what there is has the hash that is told.
   */
  const resume = async (blobId: string, signal?: AbortSignal): Promise<Begun | undefined> => {
    const { matchedCount } = await uploads.updateOne({ _id: blobId, ...unclaimed }, [markedNow]);
    if (matchedCount === 0) return undefined;
    const begun = nothingOf(blobId);
    let last: Buffer | undefined;
    let next = 0;
    for await (const { n, data } of readAhead(chunks.find({ files_id: blobId }).sort({ n: 1 }).batchSize(1))) {
      signal?.throwIfAborted();
      if (n !== next++ || data.length() !== chunkBytes) break;
      if (last) take(begun, last);
      if (last) begun.n++;
      last = bytesOf(data);
    }
    await chunks.deleteMany({ files_id: blobId, n: { $gte: begun.n } });
    // Of a writer who came to the end, and no further.
    await files.deleteOne({ _id: blobId });
    return begun;
  };

  /**
   * Stores the rest of what was begun. When this fails, what is stored stays until it is taken up or deleted, or a sweep
   * finds that nobody has done so.
   */
  const append = async (
    begun: Begun,
    stream: AsyncIterable<Uint8Array>,
    { maxBytes, tooLarge, signal }: PutOptions,
  ): Promise<Stored> => {
    const { blobId, sha256 } = begun;
    const counted = async function* () {
      for await (const part of abortable(signal, stream)) {
        if (begun.sizeBytes + part.length > maxBytes) throw tooLarge();
        take(begun, part);
        yield part;
      }
    };
    // One chunk is stored while the next one comes in.
    let storing: Promise<unknown> = Promise.resolve();
    try {
      for await (const chunk of inChunks(counted(), chunkBytes)) {
        await storing;
        if (begun.n > 0 && begun.n % touchEveryChunks === 0) await touch(blobId);
        storing = chunks.insertOne({ files_id: blobId, n: begun.n++, data: new Binary(chunk) }, quick);
        // It is told where it is waited for.
        storing.catch(() => undefined);
      }
    } finally {
      // Also of an upload that has failed: what is still being stored would outlive the clean-up.
      await storing.catch(() => undefined);
    }
    await storing;
    await touch(blobId);
    await checkAll(begun);
    const file = { length: begun.sizeBytes, chunkSize: chunkBytes, uploadDate: new Date(), filename: blobId };
    await files.insertOne({ _id: blobId, ...file });
    const { sizeBytes, head } = begun;
    return { blobId, sizeBytes, sha256: sha256.digest("hex"), head };
  };

  /**
   * Stores a stream. A failed put leaves nothing behind; a successful one must be kept, or a sweep removes it. `also` is
   * one more hash of the content.
   */
  const put = async (stream: AsyncIterable<Uint8Array>, options: PutOptions, also?: Hash): Promise<Stored> => {
    const begun = await begin(also);
    try {
      return await append(begun, stream, options);
    } catch (error) {
      // Should this fail too, the mark is still there for the sweep.
      await remove(begun.blobId).catch(() => {});
      throw error;
    }
  };

  /** Says that a record now refers to the content. Fault `unavailable` if a sweep was quicker: undo it, and delete. */
  const keep = async (blobId: string) => {
    const { deletedCount } = await uploads.deleteOne({ _id: blobId, ...unclaimed, released: { $exists: false } });
    if (deletedCount > 0) return;
    const mark = await uploads.findOne({ _id: blobId });
    if (mark?.claim || mark?.deleted || !(await files.findOne({ _id: blobId }))) throw gone();
  };

  /** Says that the record is about to go: from now on, also after a `keep`, a sweep asks whether the content is still used. */
  const release = async (blobId: string) => {
    // Taken from a sweep that has just asked: its answer is about to be wrong.
    const mark = [markedNow, { $set: { released: true } }, { $unset: "claim" }];
    await uploads.updateOne({ _id: blobId }, mark, { upsert: true });
  };

  /** The bytes from `start` up to, not including, `end`. Fault `not_found` at the first read if there is no content. */
  async function* get(blobId: string, range: { start?: number; end?: number } = {}): AsyncGenerator<Buffer> {
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
      for (let from = 0; from < bytes.length; from += pieceBytes) yield bytes.subarray(from, from + pieceBytes);
      at += bytes.length;
    }
    if (at < end) throw new Fault("internal", "Stored content is incomplete");
  }

  /**
   * Removes what was put or released before `olderThan` and is used by no record; returns how many that were.
   * `olderThan` must leave time for a slow sender's 16 MiB and for storing a record. Harmless in several processes at once.
   */
  const sweep = async (olderThan: Date, isUsed: (blobId: string) => Promise<boolean>): Promise<number> => {
    let removed = 0;
    const old = { at: { $lt: olderThan } };
    for await (const { _id } of uploads.find(old).sort({ at: 1 })) {
      // The claim comes before the question: a record stored after the answer finds it, in keep.
      const claim = randomUUID();
      const mark = await uploads.findOneAndUpdate({ _id, ...old }, { $set: { claim } });
      if (!mark) continue;
      if (!mark.deleted && (await isUsed(_id))) {
        await uploads.deleteOne({ _id, claim, deleted: { $exists: false } });
        continue;
      }
      const { matchedCount } = await uploads.updateOne({ _id, claim }, { $set: { deleted: true } });
      if (matchedCount === 0) continue;
      await remove(_id);
      removed++;
    }
    return removed;
  };

  return { ensureIndexes, put, begin, resume, append, keep, release, get, delete: remove, sweep };
};

/** Where one service keeps the bytes of one kind of record. */
export type Blobs = ReturnType<typeof blobs>;
