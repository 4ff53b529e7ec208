import type { Pace } from "../turns/pacer.js";

const sliceBytes = 64 * 1024;
const [plus, space, percent] = [0x2b, 0x20, 0x25];
const digits = new Int8Array(256).fill(-1);
for (const digit of "0123456789abcdefABCDEF") digits[digit.charCodeAt(0)] = Number.parseInt(digit, 16);

/** Decodes a name or a value of a urlencoded form, in slices. A malformed escape stays as it is. */
export async function formDecoded(field: Buffer, pace: Pace): Promise<Buffer> {
  const bytes = Buffer.alloc(field.length);
  let length = 0;
  for (let at = 0; at < field.length; ) {
    const from = at;
    for (const end = Math.min(at + sliceBytes, field.length); at < end; at++) {
      const byte = field[at]!;
      const high = byte === percent ? digits[field[at + 1] ?? 0]! : -1;
      const low = high < 0 ? -1 : digits[field[at + 2] ?? 0]!;
      bytes[length++] = low >= 0 ? high * 16 + low : byte === plus ? space : byte;
      if (low >= 0) at += 2;
    }
    await pace(at - from);
  }
  return bytes.subarray(0, length);
}
