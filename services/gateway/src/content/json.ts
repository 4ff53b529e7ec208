import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { Refusal } from "../http/answer.js";

/** Levels of a JSON body. Requests need three; a recursive function would fail on a deep value. */
const maxDepth = fixedLimit({
  max: 32,
  about: "levels of a JSON body",
  refusal: "Request body cannot be nested more than N levels deep",
});

const maxValues = fixedLimit({
  max: 10_000,
  about: "values in a JSON body",
  refusal: "Request body cannot have more than N values",
});

const utf8 = new TextDecoder("utf-8", { fatal: true });
const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const opening = new Set([0x5b, 0x7b]);
const closing = new Set([0x5d, 0x7d]);

/** Looks at what is outside of strings, in one pass. Returns why the body must not be parsed. */
function excessOf(bytes: Buffer): string | undefined {
  let depth = 0;
  let values = 1;
  let inString = false;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]!;
    if (byte === quote) inString = !inString;
    else if (inString) i += byte === backslash ? 1 : 0;
    else if (byte === comma && ++values > maxValues) return `have more than ${maxValues} values`;
    else if (opening.has(byte) && ++depth > maxDepth) return `be nested more than ${maxDepth} levels deep`;
    else if (closing.has(byte)) depth--;
  }
  return undefined;
}

/** Parses a JSON body. Throws 400 for one that is malformed, too deep or has too many values. */
export function parseJson(bytes: Buffer): unknown {
  const excess = excessOf(bytes);
  if (excess) throw new Refusal(400, `Request body cannot ${excess}`);
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch {
    throw new Refusal(400, "Malformed JSON");
  }
}
