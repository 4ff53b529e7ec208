import type { BuildDoc, Chunk, JobDoc } from "./build.js";
import { completeBytes } from "./characters.js";

/** What says the time of a piece that was stored without one. */
export type Started = Pick<BuildDoc, "startedAt" | "createdAt"> & {
  readonly jobs: readonly Pick<JobDoc, "startedAt">[];
};

/** Returns when a piece arrived. For a piece without a time, this is the start of its job or, without one, of its build. */
export const arrivedAt = ({ jobs, startedAt, createdAt }: Started, { job, at }: Pick<Chunk, "job" | "at">): Date =>
  at ?? (job === undefined ? undefined : jobs[job]?.startedAt) ?? startedAt ?? createdAt!;

/** Bytes of output, and when they arrived, in their order. */
export interface TimedBlock {
  readonly bytes: Buffer;
  readonly times: readonly { readonly bytes: number; readonly at: Date }[];
}

/** Text for a reader, and how many bytes of output it stands for. */
export interface Cut {
  readonly text: Buffer;
  readonly bytes: number;
}

export const newline = 10;
const stampBytes = "2026-03-01T12:00:00.000Z ".length;
const maxCharacterBytes = 4;

/** Returns the stamps of a block: each call needs an offset that is not before that of the last one. */
function stampsOf(times: TimedBlock["times"]) {
  let nth = 0;
  let end = times[0]?.bytes ?? 0;
  let stamp: string | undefined;
  return (offset: number): string => {
    for (; end <= offset; end += times[nth]!.bytes) {
      nth++;
      stamp = undefined;
    }
    stamp ??= `${times[nth]!.at.toISOString()} `;
    return stamp;
  };
}

/**
 * Cuts blocks of output into texts of at most `maxBytes`, in which each line begins with its time. `beginsLine` says
 * whether the first block begins with a line.
 */
export function timedCutter(maxBytes: number, beginsLine: boolean) {
  let bytes: Buffer = Buffer.alloc(0);
  let at = 0;
  let stampAt = stampsOf([]);
  let isLineStart = beginsLine;

  return {
    isEmpty: () => at === bytes.length,
    fill(block: TimedBlock): void {
      bytes = block.bytes.subarray(0, completeBytes(block.bytes));
      at = 0;
      stampAt = stampsOf(block.times);
    },
    take(): Cut {
      const text = Buffer.allocUnsafe(maxBytes);
      const from = at;
      let size = 0;
      while (at < bytes.length && maxBytes - size >= stampBytes + maxCharacterBytes) {
        if (isLineStart) size += text.write(stampAt(at), size, "latin1");
        const rest = bytes.subarray(at, at + maxBytes - size);
        const end = rest.indexOf(newline) + 1;
        const part = rest.subarray(0, end || completeBytes(rest));
        part.copy(text, size);
        size += part.length;
        at += part.length;
        isLineStart = end > 0;
      }
      return { text: text.subarray(0, size), bytes: at - from };
    },
  };
}
