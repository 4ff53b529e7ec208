import { insertedUnlessTaken } from "@ci/kit/mongo/duplicates";
import { page } from "@ci/kit/mongo/page";
import type { Db } from "mongodb";
import type { CacheDoc } from "../domain/cache.js";

export type CacheScope = Pick<CacheDoc, "owner" | "platform" | "name">;

const batch = 100;

/** Stores cache entries. Their contents are stored with those of artifacts. */
export const cacheStore = (db: Db) => {
  const caches = db.collection<CacheDoc>("caches");

  return {
    /** Returns the entry with this key, else the newest one in this scope, and marks it as used. */
    async use({ owner, platform, name }: CacheScope, key: string, now: Date): Promise<CacheDoc | null> {
      const used = { $set: { usedAt: now } };
      const scope = { owner, platform, name };
      return (
        (await caches.findOneAndUpdate({ ...scope, key }, used)) ??
        (await caches.findOneAndUpdate(scope, used, { sort: { createdAt: -1, _id: -1 } }))
      );
    },

    byId: (id: number) => caches.findOne({ _id: id }),

    has: async ({ owner, platform, name }: CacheScope, key: string) =>
      (await caches.findOne({ owner, platform, name, key }, { projection: { _id: 1 } })) !== null,

    /** Returns false if there is an entry with this key. */
    insert: (doc: CacheDoc): Promise<boolean> => insertedUnlessTaken(caches.insertOne(doc)),

    remove: async (id: number): Promise<boolean> => (await caches.deleteOne({ _id: id })).deletedCount === 1,

    /** Returns a page of the entries of a user and these owners, newest first. */
    list(userId: number, owners: readonly string[], number: number | undefined) {
      const visible = { $or: [{ userId }, { owner: { $in: [...owners] } }] };
      return page(caches.find(visible).sort({ createdAt: -1, _id: -1 }), number, (options) =>
        caches.countDocuments(visible, options),
      );
    },

    async usage(owner: string): Promise<{ bytes: number; entries: number }> {
      const sum = { $group: { _id: null, bytes: { $sum: "$storedSize" }, entries: { $sum: 1 } } };
      const [found] = await caches
        .aggregate<{ bytes: number; entries: number }>([{ $match: { owner } }, sum])
        .toArray();
      return { bytes: found?.bytes ?? 0, entries: found?.entries ?? 0 };
    },

    /** Returns up to 100 entries of an owner, least recently used first. */
    oldest: (owner: string) => caches.find({ owner }).sort({ usedAt: 1 }).limit(batch).toArray(),

    /** Returns up to 100 entries that were last used before a time. */
    unusedSince: (before: Date) =>
      caches
        .find({ usedAt: { $lt: before } })
        .sort({ usedAt: 1 })
        .limit(batch)
        .toArray(),

    usesBlob: async (blobId: string) => (await caches.findOne({ blobId }, { projection: { _id: 1 } })) !== null,
  };
};

export type CacheStore = ReturnType<typeof cacheStore>;
