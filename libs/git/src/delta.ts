import type { Pace } from "@ci/kit/turns/pacer";
import { type Cursor, cursor, malformed } from "./cursor.js";
import { tooLarge } from "./pack-limits.js";

/** What an instruction costs besides the bytes that it copies. */
const instructionBytes = 64;

/** Makes an object from another one and a delta. Throws if it exceeds `maxBytes`. */
export async function applyDelta(base: Buffer, delta: Buffer, maxBytes: number, pace: Pace): Promise<Buffer> {
  const from = cursor(delta);
  if (from.size() !== base.length) throw malformed();
  const sizeBytes = from.size();
  if (sizeBytes > maxBytes) throw tooLarge();
  const made = Buffer.allocUnsafe(sizeBytes);
  let at = 0;
  while (!from.ended()) {
    const part = nextPart(from, base);
    if (at + part.length > sizeBytes) throw malformed();
    at += part.copy(made, at);
    const turn = pace(instructionBytes + part.length);
    if (turn) await turn;
  }
  if (at !== sizeBytes) throw malformed();
  return made;
}

/** Reads one instruction of a delta: copy from the base, or insert new bytes. */
function nextPart(from: Cursor, base: Buffer): Buffer {
  const opcode = from.byte();
  if (opcode === 0) throw malformed();
  if (opcode < 128) return from.take(opcode);
  const number = (bits: number): number => {
    let value = 0;
    for (let bit = 0; bit < bits; bit++)
      if (opcode & (1 << (bit + (bits === 4 ? 0 : 4)))) value += from.byte() * 256 ** bit;
    return value;
  };
  const start = number(4);
  const length = number(3) || 0x10000;
  if (start + length > base.length) throw malformed();
  return base.subarray(start, start + length);
}
