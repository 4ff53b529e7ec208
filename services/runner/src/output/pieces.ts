/** UTF-8 text that waits, cut at character borders wherever it is cut. */
export interface Pieces {
  bytes(): number;
  /** Adds text, at most this many bytes of it; answers how many were taken. */
  add(text: Buffer, mostBytes?: number): number;
  /** Takes out the first bytes, at most this many. */
  take(mostBytes: number): Buffer;
}

/** The longest beginning that ends at a character border. Bytes 10xxxxxx continue a character. */
function beginning(text: Buffer, mostBytes: number): Buffer {
  if (text.length <= mostBytes) return text;
  let end = mostBytes;
  while (end > 0 && (text[end]! & 0xc0) === 0x80) end--;
  return text.subarray(0, end);
}

export function pieces(): Pieces {
  let waiting: Buffer[] = [];
  let bytes = 0;
  return {
    bytes: () => bytes,
    add(text, mostBytes = text.length) {
      const kept = beginning(text, mostBytes);
      if (kept.length > 0) waiting.push(kept);
      bytes += kept.length;
      return kept.length;
    },
    take(mostBytes) {
      const all = waiting.length === 1 ? waiting[0]! : Buffer.concat(waiting);
      const taken = beginning(all, mostBytes);
      waiting = taken.length < all.length ? [all.subarray(taken.length)] : [];
      bytes -= taken.length;
      return taken;
    },
  };
}
