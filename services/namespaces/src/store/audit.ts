import { listPage } from "@ci/kit/mongo/listing";
import { ensureIndexes, onlyRefusedBy } from "@ci/kit/mongo/mongo";
import type { Db, Filter } from "mongodb";
import type { AuditDoc } from "../domain/audit.js";

const newestFirst = { at: -1, _id: -1 } as const;
/** How many entries one write removes. */
const pruneBatch = 1_000;

const isRepeated = (error: unknown) => {
  if (!onlyRefusedBy("_id_", error)) throw error;
};

export const auditStore = (db: Db) => {
  const entries = db.collection<AuditDoc>("audit");
  return {
    ensureIndexes: () =>
      ensureIndexes(entries, [
        { key: newestFirst },
        ...["userId", "tokenId", "action", "kind", "namespace", "outcome"].map((field) => ({
          key: { [field]: 1, ...newestFirst },
        })),
      ]),

    /** Stores entries without an outcome; ignores those that are stored already. */
    async begin(docs: readonly AuditDoc[]): Promise<void> {
      if (docs.length > 0) await entries.insertMany([...docs], { ordered: false }).catch(isRepeated);
    },

    /** Stores entries with their outcome; ignores those that have one. */
    async end(docs: readonly AuditDoc[]): Promise<void> {
      if (docs.length === 0) return;
      const updates = docs.map(({ _id, status, outcome, record, namespace, ...begun }) => ({
        updateOne: {
          filter: { _id, outcome: "unfinished" as const },
          update: { $set: { status, outcome, record, namespace }, $setOnInsert: begun },
          upsert: true,
        },
      }));
      // The second attempt finds an entry that a concurrent call inserted.
      for (let tries = 0; tries < 2; tries++) {
        const done = await entries.bulkWrite(updates, { ordered: false }).catch(isRepeated);
        if (done) return;
      }
    },

    list: (filter: Filter<AuditDoc>, number: number | undefined) => listPage(entries, [filter], newestFirst, number),

    /** Removes a batch of entries older than a time. Returns how many. */
    async prune(before: Date): Promise<number> {
      const old = await entries
        .find({ at: { $lt: before } }, { projection: { _id: 1 } })
        .sort({ at: 1, _id: 1 })
        .limit(pruneBatch)
        .toArray();
      if (old.length === 0) return 0;
      return (await entries.deleteMany({ _id: { $in: old.map(({ _id }) => _id) } })).deletedCount;
    },
  };
};

export type AuditStore = ReturnType<typeof auditStore>;
