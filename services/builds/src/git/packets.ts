// Lines of git's protocol: four hexadecimal digits tell how long a line is, themselves included; small numbers are marks.

export const flush = "0000";
export const delimiter = "0001";

/** A line of text. */
export const packet = (text: string): string => (Buffer.byteLength(text) + 4).toString(16).padStart(4, "0") + text;

/** What stands between the marks. Throws when the bytes are no lines. */
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

/** The text of a line without its end. */
export const lineOf = (line: Buffer): string => line.toString().replace(/\n$/, "");
