import type { BuildDoc, Chunk } from "./build.js";
import { partOf } from "./side-by-side.js";

/** A tail with this many pieces grows by longer pieces: jobs may print a few bytes at a time. */
const manyPieces = 500;
const maxJoinedBytes = 4 * 1024;
const maxJoinedMs = 1_000;

interface Growth {
  /** Replaces the last piece, which has the same `start`. */
  readonly extended?: Chunk;
  readonly added: readonly Chunk[];
}

type Tail = Pick<BuildDoc, "tail" | "parts">;

function joined(last: Chunk, next: Chunk, parts: BuildDoc["parts"]): Chunk | undefined {
  const bytes = last.bytes + next.bytes;
  const isNext = last.job === next.job && last.start + last.bytes === next.start;
  const isSoon = last.at && next.at && Math.abs(next.at.getTime() - last.at.getTime()) < maxJoinedMs;
  if (!isNext || !isSoon || bytes > maxJoinedBytes || partOf(parts, last) !== partOf(parts, next)) return undefined;
  return { ...last, bytes, text: last.text + next.text };
}

/** Decides how output is added to a tail. `parts` are those after the change. */
export function growthOf({ tail = [], parts }: Tail, output: readonly Chunk[] = []): Growth {
  const [first, ...added] = output;
  const last = tail.length < manyPieces ? undefined : tail.at(-1);
  const extended = last && first && joined(last, first, parts);
  return extended ? { extended, added } : { added: output };
}

export function grownTail(doc: Tail, output?: readonly Chunk[]): readonly Chunk[] {
  const { extended, added } = growthOf(doc, output);
  const { tail = [] } = doc;
  return extended ? [...tail.slice(0, -1), extended, ...added] : [...tail, ...added];
}
