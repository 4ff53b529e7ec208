export interface JsonLimits {
  readonly maxDepth: number;
  readonly maxValues: number;
}

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const opening = new Set([0x5b, 0x7b]);
const closing = new Set([0x5d, 0x7d]);
const isMark = new Uint8Array(256);
for (const byte of [quote, comma, ...opening, ...closing]) isMark[byte] = 1;

function nextMark(piece: Uint8Array, from: number): number {
  let at = from;
  while (at < piece.length && isMark[piece[at]!] === 0) at++;
  return at;
}

function endOfString(piece: Uint8Array, from: number): number {
  let at = from;
  while (at < piece.length && piece[at] !== quote) at += piece[at] === backslash ? 2 : 1;
  return at;
}

/** Returns a function that takes JSON piece by piece, looks at what is outside of strings, and returns what exceeds a limit. */
export function jsonScanner({ maxDepth, maxValues }: JsonLimits): (piece: Uint8Array) => keyof JsonLimits | undefined {
  let depth = 0;
  let values = 1;
  let inString = false;
  let start = 0;
  return (piece) => {
    let at = start;
    for (; ; at++) {
      at = inString ? endOfString(piece, at) : nextMark(piece, at);
      if (at >= piece.length) break;
      const byte = piece[at]!;
      if (byte === quote) inString = !inString;
      else if (byte === comma && ++values > maxValues) return "maxValues";
      else if (opening.has(byte) && ++depth > maxDepth) return "maxDepth";
      else if (closing.has(byte)) depth--;
    }
    start = at - piece.length;
    return undefined;
  };
}
