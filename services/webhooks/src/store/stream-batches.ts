import { reachableFilters } from "@ci/kit/mongo/listing";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { sharedReads } from "@ci/kit/turns/shared-reads";
import type { Collection, Filter } from "mongodb";
import type { StreamDoc } from "./stream.js";

export interface StreamRecord
  extends Pick<StreamDoc, "_id" | "eventId" | "namespaceId" | "userId" | "rootId" | "kind"> {
  /** Absent if it is longer than a piece. */
  readonly payload?: string;
  readonly payloadBytes: number;
}

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
  eventId: 1,
  namespaceId: 1,
  userId: 1,
  rootId: 1,
  kind: 1,
  payloadBytes,
  payload: { $cond: [{ $lte: [payloadBytes, maxPieceBytes] }, "$payload", "$$REMOVE"] },
};

function countOfBatch(records: readonly StreamRecord[]): number {
  let sizeBytes = 0;
  const last = records.findIndex(({ payload }) => {
    sizeBytes += payload?.length ?? 0;
    return sizeBytes > maxReadBytes;
  });
  return last < 0 ? records.length : last + 1;
}

/** Readers that ask for the same at once share a batch. */
export const streamBatches = (stream: Collection<StreamDoc>) => {
  const sharedBatch = sharedReads<readonly StreamRecord[]>();
  const sharedReach = sharedReads<Reached>();

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

  async function readReach({ userId, rootIds }: Reach, position: number, end: number): Promise<Reached> {
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
  }

  return {
    /** Returns a batch of a namespace's records after a position, in order; empty if there are no more. */
    after: (namespaceId: number, position: number): Promise<readonly StreamRecord[]> =>
      sharedBatch(`${namespaceId} ${position}`, async () => (await read({ namespaceId, _id: { $gt: position } })).docs),

    /**
     * Returns a batch of the records within a user's reach, in order, from a position to `end`, and how far that is complete.
     * After a failover the new primary may not know for a moment that a majority has the end, and earlier records.
     */
    reachable: (reach: Reach, position: number, end: number): Promise<Reached> =>
      sharedReach(`${reach.userId} ${position} ${end} ${reach.rootIds}`, () => readReach(reach, position, end)),

    payloadOf: async (_id: number): Promise<string | undefined> =>
      (await stream.findOne({ _id }, { projection: { payload: 1 }, readConcern: "majority" }))?.payload,
  };
};
