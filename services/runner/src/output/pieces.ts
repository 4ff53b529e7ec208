export interface Pieces {
  bytes(): number;
  /** Adds at most `maxBytes` of the text. Returns how many were added. */
  add(text: Buffer, maxBytes?: number): number;
  take(maxBytes: number): Buffer;
}

/** Cuts at a character boundary. Bytes 10xxxxxx continue a character. */
function beginning(text: Buffer, maxBytes: number): Buffer {
  if (text.length <= maxBytes) return text;
  let end = maxBytes;
  while (end > 0 && (text[end]! & 0xc0) === 0x80) end--;
  return text.subarray(0, end);
}

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
