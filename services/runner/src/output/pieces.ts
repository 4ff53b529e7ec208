import { pieceEnd } from "@ci/kit/bytes/characters";

export interface Pieces {
  bytes(): number;
  /** Adds at most `maxBytes` of the text. Returns how many were added. */
  add(text: Buffer, maxBytes?: number): number;
  take(maxBytes: number): Buffer;
}

const beginning = (text: Buffer, maxBytes: number): Buffer =>
  text.length <= maxBytes ? text : text.subarray(0, pieceEnd(text, 0, maxBytes));

export function pieces(): Pieces {
  let waiting: Buffer[] = [];
  let bytes = 0;
  return {
    bytes: () => bytes,
    add(text, maxBytes = text.length) {
      const kept = beginning(text, maxBytes);
      if (kept.length > 0) waiting.push(kept);
      bytes += kept.length;
      return kept.length;
    },
    take(maxBytes) {
      const all = waiting.length === 1 ? waiting[0]! : Buffer.concat(waiting);
      const taken = beginning(all, maxBytes);
      waiting = taken.length < all.length ? [all.subarray(taken.length)] : [];
      bytes -= taken.length;
      return taken;
    },
  };
}
