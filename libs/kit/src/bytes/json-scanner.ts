export interface JsonLimits {
  readonly maxDepth: number;
  readonly maxValues: number;
}

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const opening = new Set([0x5b, 0x7b]);
const closing = new Set([0x5d, 0x7d]);

/** Returns a function that takes JSON piece by piece, looks at what is outside of strings, and returns what exceeds a limit. */
export function jsonScanner({ maxDepth, maxValues }: JsonLimits): (piece: Uint8Array) => keyof JsonLimits | undefined {
  let depth = 0;
  let values = 1;
  let inString = false;
  let isEscaped = false;
  return (piece) => {
    for (let i = 0; i < piece.length; i++) {
      const byte = piece[i]!;
      if (isEscaped) isEscaped = false;
      else if (byte === quote) inString = !inString;
      else if (inString) isEscaped = byte === backslash;
      else if (byte === comma && ++values > maxValues) return "maxValues";
      else if (opening.has(byte) && ++depth > maxDepth) return "maxDepth";
      else if (closing.has(byte)) depth--;
    }
    return undefined;
  };
}
