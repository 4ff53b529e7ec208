import { randomUUID } from "node:crypto";
import { type BlobStore, contentGone, markedNow, removeBlob, unclaimed } from "./blob-store.js";

const releaseBatch = 500;

export const blobSweeping = (store: BlobStore) => {
  const { uploads, files } = store;

  /** Marks content that a record refers to. Throws `unavailable` if a sweep has claimed it; then remove the record. */
  const keep = async (blobId: string) => {
    const { deletedCount } = await uploads.deleteOne({ _id: blobId, ...unclaimed, released: { $exists: false } });
    if (deletedCount > 0) return;
    const mark = await uploads.findOne({ _id: blobId });
    if (mark?.claim || mark?.deleted || !(await files.findOne({ _id: blobId }))) throw contentGone();
  };

  /** Announces the deletion of records. From now on, even after a `keep`, sweeps ask whether their contents are used. */
  const release = async (...blobIds: readonly string[]) => {
    // A sweep may just have asked whether the content is used. Its answer becomes wrong, so take its claim away.
    const update = [markedNow, { $set: { released: true } }, { $unset: "claim" }];
    for (let from = 0; from < blobIds.length; from += releaseBatch) {
      const batch = blobIds.slice(from, from + releaseBatch);
      const marks = batch.map((_id) => ({ updateOne: { filter: { _id }, update, upsert: true } }));
      await uploads.bulkWrite(marks, { ordered: false });
    }
  };

  /** Returns the number removed. `olderThan` must leave time for a slow sender's 16 MiB and for storing a record. */
  const sweep = async (olderThan: Date, isUsed: (blobId: string) => Promise<boolean>): Promise<number> => {
    let removed = 0;
    const old = { at: { $lt: olderThan } };
    for await (const { _id } of uploads.find(old).sort({ at: 1 })) {
      // Claim before asking. If a record is stored after the answer, its `keep` then finds the claim.
      const claim = randomUUID();
      const mark = await uploads.findOneAndUpdate({ _id, ...old }, { $set: { claim } });
      if (!mark) continue;
      if (!mark.deleted && (await isUsed(_id))) {
        await uploads.deleteOne({ _id, claim, deleted: { $exists: false } });
        continue;
      }
      const { matchedCount } = await uploads.updateOne({ _id, claim }, { $set: { deleted: true } });
      if (matchedCount === 0) continue;
      await removeBlob(store, _id);
      removed++;
    }
    return removed;
  };

  return { keep, release, sweep };
};
