export const malformed = () => new Error("malformed pack");

/** Reads the binary formats of git: packs and deltas. Throws if the bytes end too early. */
export function cursor(bytes: Buffer, start = 0) {
  let at = start;
  const byte = (): number => {
    if (at >= bytes.length) throw malformed();
    return bytes[at++]!;
  };
  return {
    byte,
    at: () => at,
    ended: () => at >= bytes.length,
    take(count: number): Buffer {
      if (at + count > bytes.length) throw malformed();
      at += count;
      return bytes.subarray(at - count, at);
    },
    size(): number {
      let value = 0;
      for (let factor = 1; ; factor *= 128) {
        const next = byte();
        value += (next & 127) * factor;
        if (next < 128) return value;
        if (factor > 2 ** 42) throw malformed();
      }
    },
  };
}
export type Cursor = ReturnType<typeof cursor>;
