// A packet line of git begins with its length, as four hexadecimal digits that count too. Lengths below 4 are markers.

export const flush = "0000";
export const delimiter = "0001";
const maxMarkers = 2;

export const packet = (text: string): string => (Buffer.byteLength(text) + 4).toString(16).padStart(4, "0") + text;

/** Yields the contents of all lines, without markers. Throws if bytes are malformed, or markers follow each other. */
export function* packets(bytes: Buffer): Generator<Buffer> {
  let markers = 0;
  for (let at = 0; at < bytes.length; ) {
    const digits = bytes.toString("latin1", at, at + 4);
    const length = Number.parseInt(digits, 16);
    if (!/^[0-9a-f]{4}$/i.test(digits) || length === 3 || at + length > bytes.length || markers > maxMarkers)
      throw new Error("malformed answer");
    markers = length < 4 ? markers + 1 : 0;
    if (length >= 4) yield bytes.subarray(at + 4, at + length);
    at += Math.max(length, 4);
  }
}

export const lineOf = (line: Buffer): string => line.toString().replace(/\n$/, "");
