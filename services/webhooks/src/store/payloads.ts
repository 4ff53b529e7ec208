import type { Collection } from "mongodb";

/** The body of an event's deliveries, stored once for all of them. */
export interface PayloadDoc {
  /** The SHA-256 of the text. */
  readonly _id: string;
  readonly text: string;
  /** When an event last needed it, by the clock of MongoDB. */
  readonly neededAt: Date;
}

const maxIds = 1_000;
/** Deliveries are stored right after their payload. */
const graceMs = 60 * 60 * 1_000;

export type Payloads = ReturnType<typeof payloadStore>;

export const payloadStore = (payloads: Collection<PayloadDoc>) => ({
  /** Stores payloads by id. Those that exist already count as new. */
  async store(texts: ReadonlyMap<string, string>): Promise<void> {
    const writes = [...texts].map(([_id, text]) => ({
      updateOne: {
        filter: { _id },
        update: { $setOnInsert: { text }, $currentDate: { neededAt: true as const } },
        upsert: true,
      },
    }));
    await payloads.bulkWrite(writes, { ordered: false });
  },

  read: async (id: string): Promise<string | undefined> => (await payloads.findOne({ _id: id }))?.text,

  /** Returns some ids in order, beginning after one. Reads an index only. */
  async idsAfter(id: string): Promise<string[]> {
    const found = payloads.find({ _id: { $gt: id } }, { projection: { _id: 1 } });
    return (await found.sort({ _id: 1 }).limit(maxIds).toArray()).map(({ _id }) => _id);
  },

  /** Removes payloads to which no delivery refers, except those that an event has needed within the last hour. */
  async removeUnused(ids: readonly string[]): Promise<number> {
    if (ids.length === 0) return 0;
    const isOld = { $lt: ["$neededAt", { $subtract: ["$$NOW", graceMs] }] };
    return (await payloads.deleteMany({ _id: { $in: [...ids] }, $expr: isOld })).deletedCount;
  },
});
