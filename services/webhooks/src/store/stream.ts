import { duplicateKey } from "@ci/kit/mongo/mongo";
import type { Collection } from "mongodb";

/** An event as those see it who watch its namespace. */
export interface StreamDoc {
  /** The position: one more than that of the record before, whatever namespace that is of. */
  _id: number;
  eventId: string;
  namespaceId: number;
  kind: string;
  /** The body that a webhook is sent. */
  payload: string;
  /** When it happened. */
  at: Date;
}

/** One that has no position yet. */
export type NewRecord = Omit<StreamDoc, "_id">;

const readAtATime = 64;
const readBytesAtATime = 1024 ** 2;
const removedAtATime = 1_000;

export type Stream = ReturnType<typeof streamStore>;

export const streamStore = (stream: Collection<StreamDoc>) => {
  async function newest(readConcern: "local" | "majority"): Promise<number> {
    const found = stream.find({ _id: { $gt: 0 } }, { projection: { _id: 1 }, readConcern });
    const [record] = await found.sort({ _id: -1 }).limit(1).toArray();
    return record?._id ?? 0;
  }

  /** The position of the newest record; 0 before the first. */
  const last = () => newest("local");

  /** Those whose events have no record yet. */
  async function without<T extends { readonly eventId: string }>(some: readonly T[]): Promise<T[]> {
    const asked = { eventId: { $in: some.map(({ eventId }) => eventId) } };
    const found = await stream.find(asked, { projection: { eventId: 1 } }).toArray();
    const known = new Set(found.map(({ eventId }) => eventId));
    return some.filter(({ eventId }) => !known.has(eventId));
  }

  /** False when somebody else added something meanwhile, so that some of these may be missing. */
  async function append(records: readonly NewRecord[]): Promise<boolean> {
    const from = (await last()) + 1;
    try {
      await stream.insertMany(
        records.map((record, nth) => ({ _id: from + nth, ...record })),
        { ordered: true },
      );
      return true;
    } catch (error) {
      if (duplicateKey(error)) return false;
      throw error;
    }
  }

  return {
    last,

    /** The same, of what a majority has and is never taken back. */
    end: () => newest("majority"),

    without,

    /**
     * Adds records after all others, in order, each event once. Positions have no gaps, whoever adds at the same time:
     * a reader who has seen one can never miss what is written to a lower one later.
     */
    async add(records: readonly NewRecord[]): Promise<void> {
      let open = await without(records);
      while (open.length > 0 && !(await append(open))) open = await without(open);
    },

    /** Some records of a namespace after a position, in order; none when there are no more. */
    async after(namespaceId: number, position: number): Promise<StreamDoc[]> {
      // What was read could otherwise be taken back, and its position be given to something else.
      const options = { readConcern: "majority", batchSize: 8 } as const;
      const found = stream.find({ namespaceId, _id: { $gt: position } }, options).sort({ _id: 1 });
      const docs: StreamDoc[] = [];
      let sizeBytes = 0;
      for await (const doc of found.limit(readAtATime)) {
        docs.push(doc);
        sizeBytes += doc.payload.length;
        if (sizeBytes > readBytesAtATime) break;
      }
      return docs;
    },

    /** Removes some of what happened before a time; answers how many. The newest stays: positions count on from it. */
    async prune(before: Date): Promise<number> {
      const kept = await last();
      const old = await stream
        .find({ at: { $lt: before } }, { projection: { _id: 1 } })
        .sort({ at: 1 })
        .limit(removedAtATime)
        .toArray();
      const ids = old.map(({ _id }) => _id).filter((id) => id < kept);
      return ids.length === 0 ? 0 : (await stream.deleteMany({ _id: { $in: ids } })).deletedCount;
    },
  };
};
