import type { Binary, Collection, Db } from "mongodb";
import { Fault } from "../rpc/fault.js";

export const chunkBytes = 1024 * 1024;

/** Marks content that no record refers to yet. */
export type Upload = { _id: string; at: Date; claim?: string; deleted?: true; released?: true };
type File = { _id: string; length: number; chunkSize: number; uploadDate: Date; filename: string };
type Chunk = { files_id: string; n: number; data: Binary };

export interface BlobStore {
  readonly uploads: Collection<Upload>;
  readonly files: Collection<File>;
  readonly chunks: Collection<Chunk>;
}

export const blobStore = (db: Db, bucketName: string): BlobStore => ({
  uploads: db.collection<Upload>(`${bucketName}.uploads`),
  files: db.collection<File>(`${bucketName}.files`),
  chunks: db.collection<Chunk>(`${bucketName}.chunks`),
});

/** Uses the clock of MongoDB, because different processes may upload and sweep. */
export const markedNow = { $set: { at: "$$NOW" } } as const;

export const unclaimed = { claim: { $exists: false }, deleted: { $exists: false } };

export const bytesOf = (data: Binary): Buffer => Buffer.from(data.buffer.buffer, data.buffer.byteOffset, data.length());

export const contentGone = () => new Fault("unavailable", "The stored content was removed meanwhile");

export async function removeBlob({ uploads, files, chunks }: BlobStore, blobId: string): Promise<void> {
  const mark = { deleted: true as const, at: { $ifNull: ["$at", "$$NOW"] } };
  await uploads.updateOne({ _id: blobId }, [{ $set: mark }], { upsert: true });
  await files.deleteOne({ _id: blobId });
  await chunks.deleteMany({ files_id: blobId });
  await uploads.deleteOne({ _id: blobId });
}
