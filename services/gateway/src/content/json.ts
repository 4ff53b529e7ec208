import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { Refusal } from "../http/answer.js";

/** Levels of a JSON body. Requests need three; a recursive function would fail on a deep value. */
const maxDepth = fixedLimit({
  max: 32,
  about: "levels of a JSON body",
  refusal: "Request body cannot be nested more than N levels deep",
});

const utf8 = new TextDecoder("utf-8", { fatal: true });
const [quote, backslash] = [0x22, 0x5c];
const opening = new Set([0x5b, 0x7b]);
const closing = new Set([0x5d, 0x7d]);

/** Reports in one pass whether brackets outside of strings are nested too deeply. */
function isTooDeep(bytes: Buffer): boolean {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]!;
    if (byte === quote) inString = !inString;
    else if (inString) i += byte === backslash ? 1 : 0;
    else if (opening.has(byte) && ++depth > maxDepth) return true;
    else if (closing.has(byte)) depth--;
  }
  return false;
}

/** Parses a JSON body. Throws 400 for a malformed one and for one that is nested too deeply. */
export function parseJson(bytes: Buffer): unknown {
  if (isTooDeep(bytes)) throw new Refusal(400, `Request body cannot be nested more than ${maxDepth} levels deep`);
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch {
    throw new Refusal(400, "Malformed JSON");
  }
}
