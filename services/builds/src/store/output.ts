import { onlyRefusedBy } from "@ci/kit/mongo/mongo";
import type { Db } from "mongodb";
import type { BuildDoc, Chunk } from "../domain/build.js";

interface OutputDoc {
  _id: string;
  buildId: number;
  job?: number;
  end: number;
  jobEnd?: number;
  bytes: number;
  text: string;
}

/** How much output stays in the build's document, for lists and events. */
const keptBytes = 64 * 1024;
/** How much the tail may hold before its older part moves out. */
const maxTailBytes = 3 * keptBytes;

/** Stores the older output of jobs. Its end is part of the build, so that text and state change in one write. */
export const outputStore = (db: Db) => {
  const output = db.collection<OutputDoc>("output");

  /** Returns the pieces to move out of a long tail, and the offset at which the tail then starts. */
  function surplus(doc: BuildDoc): { chunks: Chunk[]; tailFrom: number } | undefined {
    if (doc.outputBytes - doc.tailFrom <= maxTailBytes) return undefined;
    const chunks = doc.tail.filter((chunk) => chunk.start + chunk.bytes <= doc.outputBytes - keptBytes);
    const last = chunks.at(-1);
    return last && { chunks, tailFrom: last.start + last.bytes };
  }

  /** Reads the pieces that have moved out. Sends no query if the range lies within the tail. */
  async function* moved(doc: BuildDoc, { job, start }: { job?: number; start: number }): AsyncGenerator<OutputDoc> {
    if (doc.tailFrom === 0 || (job === undefined && start >= doc.tailFrom)) return;
    const found =
      job === undefined
        ? output.find({ buildId: doc._id, end: { $gt: start, $lte: doc.tailFrom } }).sort({ end: 1 })
        : output
            .find({ buildId: doc._id, job, jobEnd: { $gt: start }, end: { $lte: doc.tailFrom } })
            .sort({ jobEnd: 1 });
    yield* found.batchSize(20);
  }

  return {
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

    /** Reads the bytes from `start` up to but excluding `end`, of the build or of the job with this index. */
    async *read(doc: BuildDoc, range: { job?: number; start: number; end: number }): AsyncGenerator<Buffer> {
      const { job } = range;
      for await (const piece of moved(doc, range)) {
        const begin = (job === undefined ? piece.end : piece.jobEnd!) - piece.bytes;
        if (begin >= range.end) return;
        yield Buffer.from(piece.text).subarray(Math.max(0, range.start - begin), range.end - begin);
      }
      for (const chunk of doc.tail) {
        if (job !== undefined && chunk.job !== job) continue;
        const begin = job === undefined ? chunk.start : chunk.jobStart!;
        if (begin >= range.end) return;
        if (begin + chunk.bytes <= range.start) continue;
        yield Buffer.from(chunk.text).subarray(Math.max(0, range.start - begin), range.end - begin);
      }
    },
  };
};

export type OutputStore = ReturnType<typeof outputStore>;
