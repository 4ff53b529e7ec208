import { offsetOfLine, type Start, sizeOf } from "./source.js";

/** Of longer output only the end is shown at first. */
const wholeBytes = 256 * 1024;

/**
 * Where to open an output. `newest` loads its last lines; `end` also scrolls to the last one. The offset of a line is looked
 * up if it is missing.
 */
export type Place = "start" | "newest" | "end" | { readonly line: number; readonly offset?: number | undefined };

export interface Opening {
  readonly start: Start;
  /** Number of the first line; undefined if it is unknown. */
  readonly first?: number | undefined;
  readonly wanted?: number | undefined;
  readonly atEnd?: boolean | undefined;
  readonly absent?: number | undefined;
}

/** Returns from where to read for a place. */
export async function openingAt(url: string, place: Place, signal: AbortSignal): Promise<Opening> {
  const newest = { start: { last: wholeBytes } };
  if (place === "newest" || place === "end") return { ...newest, atEnd: place === "end" };
  if (place === "start") return { start: { from: 0 }, first: 1 };
  const { line: wanted } = place;
  if ((await sizeOf(url, signal)) <= wholeBytes) return { start: { from: 0 }, first: 1, wanted };
  const from = place.offset ?? (await offsetOfLine(url, wanted, signal));
  return from === undefined ? { ...newest, absent: wanted } : { start: { from }, first: wanted, wanted };
}
