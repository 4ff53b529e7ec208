import { onlyRefusedBy } from "@ci/kit/mongo/duplicates";
import { isTooSlow } from "@ci/kit/mongo/list-time";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { limited } from "@ci/kit/turns/limited";
import type { Collection, Db, Filter } from "mongodb";
import type { BuildDoc, Chunk } from "../domain/build.js";
import { arrivedBytes, storedRange } from "../domain/side-by-side.js";
import { arrivedAt, type Started, type TimedBlock } from "../domain/timed-lines.js";

interface OutputDoc {
  _id: string;
  buildId: number;
  job?: number;
  end: number;
  jobEnd?: number;
  bytes: number;
  text: string;
  at?: Date;
}

/** What is needed of a build to read its output. */
export type WithOutput = Pick<BuildDoc, "_id" | "tail" | "tailFrom" | "parts">;

/** The bytes from `start` up to but excluding `end`, of the build or of the job with this index. */
export interface OutputRange {
  readonly job?: number | undefined;
  readonly start: number;
  readonly end: number;
}

interface Part extends Pick<Chunk, "job" | "at"> {
  readonly data: Buffer;
}

/** How much output stays in the build's document, for lists and events. */
const keptBytes = fixedLimit({
  max: 64 * 1024,
  unit: "bytes",
  about: "end of the output in the record of a build, kept for lists and events",
  effect: "older output is stored apart",
});
const maxTailBytes = 3 * keptBytes;
const maxTailPieces = fixedLimit({
  max: 2_000,
  about: "pieces of output in the record of a build",
  effect: "all but the last 1,000 are stored apart: lists and events show only these",
});
const keptPieces = 1_000;
const maxBlockBytes = 256 * 1024;
/** Most pieces of a block that has moved out: jobs may print a few bytes at a time. */
const maxPieces = 200;
/** Most pieces of a block with times: each keeps its own. */
const maxTimes = 500;
/** Queries that all readers of old output share. Other work, such as renewals of leases, never waits for them. */
const maxQueries = fixedLimit({ max: 8, about: "queries for older output at a time", effect: "further readers wait" });

/** Returns the pieces to move out of a long tail, and the offset at which the tail then starts. */
function surplus(doc: BuildDoc): { chunks: readonly Chunk[]; tailFrom: number } | undefined {
  const { tail, tailFrom } = doc;
  const end = arrivedBytes(doc);
  // Never the last piece, the only one that grows: a process may have an older version of the build.
  const isOld = (chunk: Chunk) => chunk.start + chunk.bytes <= end - keptBytes;
  const old = end - tailFrom > maxTailBytes ? tail.filter(isOld) : [];
  const many = tail.length > maxTailPieces ? tail.slice(0, -keptPieces) : [];
  const chunks = many.length > old.length ? many : old;
  const last = chunks.at(-1);
  return last && { chunks, tailFrom: last.start + last.bytes };
}

/** Returns the range's next bytes from consecutive pieces, the first of which contains its start. */
function partsOf(pieces: Iterable<Part & { begin: number }>, range: OutputRange, maxBytes: number): Part[] {
  const end = Math.min(range.end, range.start + maxBytes);
  const parts: Part[] = [];
  for (const { begin, data, job, at } of pieces) {
    if (begin >= end) break;
    parts.push({ data: data.subarray(Math.max(0, range.start - begin), end - begin), job, at });
  }
  return parts;
}

/** Followers of a build share its pieces: each is encoded once. */
const encoded = new WeakMap<Chunk, Buffer>();

function bytesOf(chunk: Chunk): Buffer {
  const data = encoded.get(chunk) ?? Buffer.from(chunk.text);
  encoded.set(chunk, data);
  return data;
}

/** Returns the next bytes from the tail; undefined if the range does not start in it. */
function fromTail({ tail }: WithOutput, range: OutputRange, maxBytes: number): Part[] | undefined {
  const { job, start } = range;
  const beginOf = (chunk: Chunk) => (job === undefined ? chunk.start : chunk.jobStart!);
  const placed = (chunk: Chunk) => ({ begin: beginOf(chunk), job: chunk.job, at: chunk.at });
  const isRead = (chunk: Chunk) => job === undefined || chunk.job === job;
  const first = tail.findLastIndex((chunk) => isRead(chunk) && beginOf(chunk) <= start);
  if (first < 0 || beginOf(tail[first]!) + tail[first]!.bytes <= start) return undefined;
  function* pieces() {
    for (let nth = first; nth < tail.length; nth++)
      if (isRead(tail[nth]!)) yield { ...placed(tail[nth]!), data: bytesOf(tail[nth]!) };
  }
  return partsOf(pieces(), range, maxBytes);
}

const lineBreaks = { $subtract: [{ $size: { $split: ["$text", "\n"] } }, 1] };

interface Breaks {
  readonly count: number;
  readonly end: number;
}

const countTime = {
  maxTimeMS: fixedLimit({
    max: 1_000,
    unit: "ms",
    about: "time to count the lines before a part of an output",
    effect: "the response has no `X-First-Line`",
  }),
} as const;

/** MongoDB counts them, so no text is transferred. Returns undefined if it takes too long. */
async function storedBreaks(
  output: Collection<OutputDoc>,
  { _id, tailFrom }: WithOutput,
  job: number,
  offset: number,
): Promise<Breaks | undefined> {
  const before = { buildId: _id, job, jobEnd: { $lte: offset }, end: { $lte: tailFrom } };
  const sums = { _id: null, end: { $max: "$jobEnd" }, count: { $sum: lineBreaks } };
  const counting = output.aggregate<Breaks>([{ $match: before }, { $group: sums }], countTime).toArray();
  const found = await counting.catch((error) => {
    if (isTooSlow(error)) return undefined;
    throw error;
  });
  return found && (found[0] ?? { end: 0, count: 0 });
}

/** Stores the older output of jobs. Its end is part of the build, so that text and state change in one write. */
export const outputStore = (db: Db) => {
  const output = db.collection<OutputDoc>("output");
  const inTurn = limited(maxQueries);

  /** Returns the next bytes of the pieces that have moved out. Finds out first how many pieces it needs. */
  async function fromStore({ _id, tailFrom }: WithOutput, range: OutputRange, maxBytes: number): Promise<Part[]> {
    const { job, start } = range;
    if (tailFrom === 0 || (job === undefined && start >= tailFrom)) return [];
    const endKey = job === undefined ? "end" : "jobEnd";
    const filter: Filter<OutputDoc> =
      job === undefined
        ? { buildId: _id, end: { $gt: start, $lte: tailFrom } }
        : { buildId: _id, job, jobEnd: { $gt: start }, end: { $lte: tailFrom } };
    const find = (fields: object, count: number) =>
      output
        .find(filter, { projection: fields })
        .sort({ [endKey]: 1 })
        .limit(count)
        .toArray();
    const ends = (await find({ [endKey]: 1 }, maxPieces)).map((doc) => doc[endKey]!);
    if (ends.length === 0) return [];
    const enough = ends.findIndex((end) => end >= Math.min(range.end, start + maxBytes)) + 1;
    const docs = await find({ [endKey]: 1, job: 1, bytes: 1, text: 1, at: 1 }, enough || ends.length);
    const pieces = docs.map((doc) => ({ ...doc, begin: doc[endKey]! - doc.bytes, data: Buffer.from(doc.text) }));
    return partsOf(pieces, range, maxBytes);
  }

  async function nextParts(build: WithOutput, wanted: OutputRange, maxBytes: number): Promise<Part[]> {
    const range = storedRange(build, wanted);
    return fromTail(build, range, maxBytes) ?? (await inTurn(() => fromStore(build, range, maxBytes)));
  }

  /** Returns a copy of the range's next bytes, at most `maxBytes`; none only if there are none. */
  const next = async (build: WithOutput, wanted: OutputRange, maxBytes: number): Promise<Buffer> =>
    Buffer.concat((await nextParts(build, wanted, maxBytes)).map(({ data }) => data));

  return {
    /** Counts the line breaks of a job's output before an offset as far as it has moved out: up to but excluding `end`. */
    breaksBefore: (build: WithOutput, job: number, offset: number) =>
      inTurn(() => storedBreaks(output, build, job, offset)),

    /** Copies the older part of a long tail and returns the offset up to which the tail may be trimmed. */
    async spill(doc: BuildDoc): Promise<number | undefined> {
      const found = surplus(doc);
      if (!found) return undefined;
      const docs = found.chunks.map(({ start, jobStart, ...chunk }) => ({
        ...chunk,
        _id: `${doc._id}/${start}`,
        buildId: doc._id,
        end: start + chunk.bytes,
        jobEnd: jobStart === undefined ? undefined : jobStart + chunk.bytes,
      }));
      await output.insertMany(docs, { ordered: false }).catch((error) => {
        if (!onlyRefusedBy("_id_", error)) throw error;
      });
      return found.tailFrom;
    },

    next,

    /** Returns the range's next bytes as `next` does, of at most 500 pieces, with the times when these arrived. */
    async nextTimed(build: WithOutput & Started, range: OutputRange, maxBytes: number): Promise<TimedBlock> {
      const parts = (await nextParts(build, range, maxBytes)).slice(0, maxTimes);
      const bytes = Buffer.concat(parts.map(({ data }) => data));
      return { bytes, times: parts.map((part) => ({ bytes: part.data.length, at: arrivedAt(build, part) })) };
    },

    /** Reads a range in blocks. It holds one block and no cursor, however slow the reader is. */
    async *read(build: WithOutput, { job, start, end }: OutputRange): AsyncGenerator<Buffer> {
      for (let at = start; at < end; ) {
        const block = await next(build, { job, start: at, end }, maxBlockBytes);
        if (block.length === 0) return;
        at += block.length;
        yield block;
      }
    },
  };
};

export type OutputStore = ReturnType<typeof outputStore>;
