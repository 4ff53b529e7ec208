import type { Db } from "mongodb";
import { readBlob } from "./blob-read.js";
import { blobStore, removeBlob } from "./blob-store.js";
import { blobSweeping } from "./blob-sweep.js";
import { blobUploads } from "./blob-write.js";

export type { PutOptions, Stored, UploadState } from "./blob-write.js";

/**
 * Bytes in MongoDB, in the layout of GridFS. We do not use the driver's own streams: destroying one leaves an insert
 * under way, which outlives the clean-up, and reading holds 16 MB per reader.
 *
 * A mark in `<bucket>.uploads` exists from before the first byte until `keep`, so `sweep` finds whatever a crash leaves.
 * To store: put, store the record, keep. To remove: release, remove the record, delete. To upload in several sittings:
 * begin, store the id, append; after a crash resume and append; keep.
 */
export const blobs = (db: Db, bucketName: string) => {
  const store = blobStore(db, bucketName);
  return {
    async ensureIndexes() {
      await store.chunks.createIndex({ files_id: 1, n: 1 }, { unique: true });
      await store.uploads.createIndex({ at: 1 });
    },
    ...blobUploads(store),
    ...blobSweeping(store),
    get: (blobId: string, range?: { start?: number; end?: number }) => readBlob(store, blobId, range),
    delete: (blobId: string) => removeBlob(store, blobId),
  };
};

export type Blobs = ReturnType<typeof blobs>;
