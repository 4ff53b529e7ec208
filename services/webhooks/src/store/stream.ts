import { reachableFilters } from "@ci/kit/mongo/listing";
import { batched } from "@ci/kit/process/batch";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import type { Collection, Filter } from "mongodb";
import { streamWrites } from "./stream-writes.js";

export interface StreamDoc {
  /** The position. It increases by one per record, over all namespaces. */
  _id: number;
  eventId: string;
  /** Absent for builds in no namespace. */
  namespaceId?: number;
  /** The owner of the namespace, or the user of a build in none. Earlier versions did not store it. */
  userId?: number;
  /** The root of the namespace. Earlier versions did not store it. */
  rootId?: number;
  kind: string;
  payload: string;
  at: Date;
}

export type NewRecord = Omit<StreamDoc, "_id">;

/** A record as its readers hold it. */
export interface StreamRecord
  extends Pick<StreamDoc, "_id" | "eventId" | "namespaceId" | "userId" | "rootId" | "kind"> {
  /** Absent if it is longer than a piece. */
  readonly payload?: string;
  readonly payloadBytes: number;
}

/** A client buffers some messages of a stream that nobody reads. */
export const maxPieceBytes = fixedLimit({
  max: 8 * 1024,
  unit: "bytes",
  about: "one message of an event stream between services",
  effect: "a longer payload follows in further messages",
});
const maxRead = fixedLimit({
  max: 64,
  about: "events that one reader of a stream gets at a time",
  effect: "it gets more once it has read those",
});
const maxReadBytes = fixedLimit({
  max: 64 * 1024,
  unit: "bytes",
  about: "events that one reader of a stream gets at a time",
  effect: "it gets more once it has read those",
});
/** How old the end may be that sleeping readers compare with their position. */
const recentMs = 1_000;

/** What a user's own stream holds: what the user owns, and the namespaces below these roots. */
export interface Reach {
  readonly userId: number;
  readonly rootIds: readonly number[];
}

export interface Reached {
  readonly records: readonly StreamRecord[];
  /** There are no other records up to this position. */
  readonly until: number;
}

const payloadBytes = { $strLenBytes: "$payload" };
const projection = {
  ...{ eventId: 1, namespaceId: 1, userId: 1, rootId: 1, kind: 1, payloadBytes },
  payload: { $cond: [{ $lte: [payloadBytes, maxPieceBytes] }, "$payload", "$$REMOVE"] },
};

/** Returns how many of the records a reader gets at a time. */
function countOfBatch(records: readonly StreamRecord[]): number {
  let sizeBytes = 0;
  const last = records.findIndex(({ payload }) => {
    sizeBytes += payload?.length ?? 0;
    return sizeBytes > maxReadBytes;
  });
  return last < 0 ? records.length : last + 1;
}

export type Stream = ReturnType<typeof streamStore>;

export const streamStore = (stream: Collection<StreamDoc>) => {
  async function newest(readConcern: "local" | "majority"): Promise<number> {
    const found = stream.find({ _id: { $gt: 0 } }, { projection: { _id: 1 }, readConcern });
    const [record] = await found.sort({ _id: -1 }).limit(1).toArray();
    return record?._id ?? 0;
  }

  const last = () => newest("local");
  const end = () => newest("majority");
  const sharedEnd = batched<void, number>({ maxItems: 10_000, waitMs: 0 }, async (asks) => {
    const found = await end();
    return asks.map(() => found);
  });
  let recent: { readonly end: Promise<number>; readonly atMs: number } | undefined;

  /** Reads a batch in order; `more` says that its limits have ended it. */
  async function read(filter: Filter<StreamDoc>): Promise<{ docs: StreamRecord[]; more: boolean }> {
    // A record that is rolled back could give its position to another.
    const found = stream.find<StreamRecord>(filter, { projection, readConcern: "majority", batchSize: 8 });
    const docs: StreamRecord[] = [];
    let sizeBytes = 0;
    for await (const doc of found.sort({ _id: 1 }).limit(maxRead)) {
      docs.push(doc);
      sizeBytes += doc.payload?.length ?? 0;
      if (sizeBytes > maxReadBytes) return { docs, more: true };
    }
    return { docs, more: docs.length === maxRead };
  }

  return {
    last,

    /** Returns the last position that a majority has and that cannot be rolled back. Readers that ask at once share it. */
    end: () => sharedEnd(),

    /** Returns an end that was right at most a second ago. All readers of this process share it. */
    recentEnd(): Promise<number> {
      if (!recent || performance.now() - recent.atMs > recentMs) {
        const found = { end: end(), atMs: performance.now() };
        found.end.catch(() => {
          if (recent === found) recent = undefined;
        });
        recent = found;
      }
      return recent.end;
    },

    /** Returns a batch of a namespace's records after a position, in order; empty if there are no more. */
    after: async (namespaceId: number, position: number): Promise<StreamRecord[]> =>
      (await read({ namespaceId, _id: { $gt: position } })).docs,

    /** Returns the payload of a record, unless the record is gone. */
    payloadOf: async (_id: number): Promise<string | undefined> =>
      (await stream.findOne({ _id }, { projection: { payload: 1 }, readConcern: "majority" }))?.payload,

    /**
     * Returns a batch of the records within a user's reach, in order, from a position to `end`, and how far that is complete.
     * After a failover the new primary may not know for a moment that a majority has the end, and earlier records.
     */
    async reachable({ userId, rootIds }: Reach, position: number, end: number): Promise<Reached> {
      const _id = { $gt: position, $lte: end };
      const within = (ids: number[]) => ({ rootId: { $in: ids }, _id });
      const found = new Map<number, StreamRecord>();
      let until = end;
      for (const filter of reachableFilters<StreamDoc>({ userId, _id }, rootIds, within)) {
        const { docs, more } = await read({ $or: [filter, { _id: end }] });
        const last = docs.at(-1)?._id;
        // Later records of another filter have to wait for those that this one has left.
        until = Math.min(until, more || last === end ? last! : position);
        for (const doc of docs) found.set(doc._id, doc);
      }
      const roots = new Set(rootIds);
      const isWithin = (doc: StreamRecord) =>
        doc.userId === userId || (doc.rootId !== undefined && roots.has(doc.rootId));
      const all = [...found.values()].filter((doc) => doc._id > position && doc._id <= until && isWithin(doc));
      all.sort((a, b) => a._id - b._id);
      const records = all.slice(0, countOfBatch(all));
      return { records, until: records.length < all.length ? records.at(-1)!._id : until };
    },

    ...streamWrites(stream, last),
  };
};
