import { onlyRefusedBy } from "@ci/kit/mongo/duplicates";
import { listPage } from "@ci/kit/mongo/listing";
import { ensureIndexes } from "@ci/kit/mongo/mongo";
import type { Db, Filter } from "mongodb";
import type { AuditDoc } from "../domain/audit.js";

const newestFirst = { at: -1, _id: -1 } as const;
/** How many entries one write removes. */
const pruneBatch = 1_000;

const isRepeated = (error: unknown) => {
  if (!onlyRefusedBy("_id_", error)) throw error;
};

const isEnded = ({ outcome }: AuditDoc): boolean => outcome !== "unfinished";

const beginning = ({ _id, ...begun }: AuditDoc) => ({ filter: { _id }, update: { $setOnInsert: begun } });

const ending = ({ _id, status, outcome, record, namespace, ...begun }: AuditDoc) => ({
  filter: { _id, outcome: "unfinished" as const },
  update: { $set: { status, outcome, record, namespace }, $setOnInsert: begun },
});

export const auditStore = (db: Db) => {
  const entries = db.collection<AuditDoc>("audit");

  async function upsert(docs: readonly AuditDoc[]): Promise<void> {
    const updates = docs.map((doc) => ({
      updateOne: { ...(isEnded(doc) ? ending(doc) : beginning(doc)), upsert: true },
    }));
    // The second attempt finds an entry that a concurrent call inserted.
    for (let tries = 0; tries < 2; tries++) {
      const done = await entries.bulkWrite(updates, { ordered: false }).catch(isRepeated);
      if (done) return;
    }
  }

  return {
    ensureIndexes: () =>
      ensureIndexes(entries, [
        { key: newestFirst },
        ...["userId", "tokenId", "action", "kind", "namespace", "outcome"].map((field) => ({
          key: { [field]: 1, ...newestFirst },
        })),
      ]),

    /**
     * Stores entries in one write. An entry without an outcome is ignored if it is stored already; an entry with one
     * completes it, unless it has an outcome.
     */
    async record(docs: readonly AuditDoc[]): Promise<void> {
      if (docs.length > 0) await upsert(docs);
    },

    /** The same for entries that have probably not arrived yet, at a third of the cost. */
    async recordNew(docs: readonly AuditDoc[]): Promise<void> {
      if (docs.length === 0) return;
      const done = await entries.insertMany(docs, { ordered: false }).catch(isRepeated);
      if (!done) await upsert(docs);
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
