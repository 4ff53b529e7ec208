// A packet line of git begins with its length, as four hexadecimal digits that count too. Lengths below 4 are markers.

export const flush = "0000";
export const delimiter = "0001";

export const packet = (text: string): string => (Buffer.byteLength(text) + 4).toString(16).padStart(4, "0") + text;

/** Yields the contents of all lines, without markers. Throws if the bytes are malformed. */
export function* packets(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; ) {
    const digits = bytes.toString("latin1", at, at + 4);
    const length = Number.parseInt(digits, 16);
    if (!/^[0-9a-f]{4}$/i.test(digits) || length === 3 || at + length > bytes.length)
      throw new Error("malformed answer");
    if (length >= 4) yield bytes.subarray(at + 4, at + length);
    at += Math.max(length, 4);
  }
}

export const lineOf = (line: Buffer): string => line.toString().replace(/\n$/, "");
