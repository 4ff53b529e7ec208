import { insertedUnlessTaken } from "@ci/kit/mongo/duplicates";
import type { Collection } from "mongodb";
import type { NewRecord, StreamDoc } from "./stream.js";

const maxRemoved = 1_000;

/** Adds records to the stream and removes old ones. `last` returns the newest position. */
export const streamWrites = (stream: Collection<StreamDoc>, last: () => Promise<number>) => {
  async function withoutRecord<T extends { readonly eventId: string }>(records: readonly T[]): Promise<T[]> {
    const recorded = { eventId: { $in: records.map(({ eventId }) => eventId) } };
    // A record that may still be rolled back counts as missing.
    const found = await stream.find(recorded, { projection: { eventId: 1 }, readConcern: "majority" }).toArray();
    const known = new Set(found.map(({ eventId }) => eventId));
    return records.filter(({ eventId }) => !known.has(eventId));
  }

  /** Returns false if another process appended meanwhile: then some records may be missing. */
  async function tryAppend(records: readonly NewRecord[]): Promise<boolean> {
    const from = (await last()) + 1;
    const docs = records.map((record, index) => ({ _id: from + index, ...record }));
    return insertedUnlessTaken(stream.insertMany(docs, { ordered: true }));
  }

  return {
    withoutRecord,

    /** Appends each event once. Positions have no gaps, so a reader that has seen one never misses one below it. */
    async append(records: readonly NewRecord[]): Promise<void> {
      let missing = records;
      while (missing.length > 0 && !(await tryAppend(missing))) missing = await withoutRecord(missing);
    },

    /** Removes a batch of records of events before a time. The newest stays, because positions continue from it. */
    async prune(before: Date): Promise<number> {
      const kept = await last();
      const old = await stream
        .find({ at: { $lt: before } }, { projection: { _id: 1 } })
        .sort({ at: 1 })
        .limit(maxRemoved)
        .toArray();
      const ids = old.map(({ _id }) => _id).filter((id) => id < kept);
      return ids.length === 0 ? 0 : (await stream.deleteMany({ _id: { $in: ids } })).deletedCount;
    },
  };
};
