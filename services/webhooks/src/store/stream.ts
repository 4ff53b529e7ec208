import { batched } from "@ci/kit/turns/batch";
import type { Collection } from "mongodb";
import { streamBatches } from "./stream-batches.js";
import { streamHeads } from "./stream-heads.js";
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

/** How old the end may be that sleeping readers compare with their position. */
const recentMs = 1_000;

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

    ...streamBatches(stream),
    ...streamHeads(stream),
    ...streamWrites(stream, last),
  };
};
