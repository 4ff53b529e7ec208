import { fixedLimit } from "@ci/kit/process/fixed-limit";
import type { Collection } from "mongodb";
import type { StreamDoc } from "./stream.js";

/** A record without its payload. */
export type StreamHead = Pick<StreamDoc, "_id" | "eventId" | "kind" | "at"> & { readonly payloadBytes: number };

export const maxReplayed = fixedLimit({
  max: 200,
  about: "events of a namespace that a step of a replay looks at",
  effect: "the rest follows in further steps",
});

export const maxCounted = fixedLimit({
  max: 200,
  about: "newest events of a namespace among which the answer to a replay counts those that the webhook missed",
  effect: "the answer says that there may be more; all are sent",
});

const head = { eventId: 1, kind: 1, at: 1, payloadBytes: { $strLenBytes: "$payload" } } as const;
// A record that is rolled back could give its position to another.
const readConcern = "majority";

export const streamHeads = (stream: Collection<StreamDoc>) => ({
  /** Returns the first records of a namespace between two positions, in order. */
  heads: (namespaceId: number, after: number, end: number): Promise<StreamHead[]> =>
    stream
      .find<StreamHead>({ namespaceId, _id: { $gt: after, $lte: end } }, { projection: head, readConcern })
      .sort({ _id: 1 })
      .limit(maxReplayed)
      .toArray(),

  newestHeads: (namespaceId: number): Promise<StreamHead[]> =>
    stream
      .find<StreamHead>({ namespaceId }, { projection: head, readConcern })
      .sort({ _id: -1 })
      .limit(maxCounted)
      .toArray(),

  /** Returns payloads by position. Those of records that are gone are left out. */
  async payloads(positions: readonly number[]): Promise<Map<number, string>> {
    const found = stream.find({ _id: { $in: [...positions] } }, { projection: { payload: 1 }, readConcern });
    return new Map((await found.toArray()).map(({ _id, payload }) => [_id, payload]));
  },
});
