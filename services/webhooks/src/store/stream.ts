import { duplicateKey } from "@ci/kit/mongo/mongo";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import type { Collection } from "mongodb";

export interface StreamDoc {
  /** The position. It increases by one per record, over all namespaces. */
  _id: number;
  eventId: string;
  namespaceId: number;
  kind: string;
  payload: string;
  at: Date;
}

export type NewRecord = Omit<StreamDoc, "_id">;

const maxRead = fixedLimit({
  max: 64,
  about: "events that one reader of a stream gets at a time",
  effect: "it gets more once it has read those",
});
const maxReadBytes = fixedLimit({
  max: 1024 ** 2,
  unit: "bytes",
  about: "events that one reader of a stream gets at a time",
  effect: "it gets more once it has read those",
});
const maxRemoved = 1_000;

export type Stream = ReturnType<typeof streamStore>;

export const streamStore = (stream: Collection<StreamDoc>) => {
  async function newest(readConcern: "local" | "majority"): Promise<number> {
    const found = stream.find({ _id: { $gt: 0 } }, { projection: { _id: 1 }, readConcern });
    const [record] = await found.sort({ _id: -1 }).limit(1).toArray();
    return record?._id ?? 0;
  }

  const last = () => newest("local");

  async function withoutRecord<T extends { readonly eventId: string }>(records: readonly T[]): Promise<T[]> {
    const recorded = { eventId: { $in: records.map(({ eventId }) => eventId) } };
    const found = await stream.find(recorded, { projection: { eventId: 1 } }).toArray();
    const known = new Set(found.map(({ eventId }) => eventId));
    return records.filter(({ eventId }) => !known.has(eventId));
  }

  /** Returns false if another process appended meanwhile: then some records may be missing. */
  async function tryAppend(records: readonly NewRecord[]): Promise<boolean> {
    const from = (await last()) + 1;
    const docs = records.map((record, index) => ({ _id: from + index, ...record }));
    try {
      await stream.insertMany(docs, { ordered: true });
      return true;
    } catch (error) {
      if (duplicateKey(error)) return false;
      throw error;
    }
  }

  return {
    last,

    /** Returns the last position that a majority has and that cannot be rolled back. */
    end: () => newest("majority"),

    withoutRecord,

    /** Appends each event once. Positions have no gaps, so a reader that has seen one never misses one below it. */
    async append(records: readonly NewRecord[]): Promise<void> {
      let missing = await withoutRecord(records);
      while (missing.length > 0 && !(await tryAppend(missing))) missing = await withoutRecord(missing);
    },

    /** Returns a batch of a namespace's records after a position, in order; empty if there are no more. */
    async after(namespaceId: number, position: number): Promise<StreamDoc[]> {
      // A record that is rolled back could give its position to another.
      const options = { readConcern: "majority", batchSize: 8 } as const;
      const found = stream.find({ namespaceId, _id: { $gt: position } }, options).sort({ _id: 1 });
      const docs: StreamDoc[] = [];
      let sizeBytes = 0;
      for await (const doc of found.limit(maxRead)) {
        docs.push(doc);
        sizeBytes += doc.payload.length;
        if (sizeBytes > maxReadBytes) break;
      }
      return docs;
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
