import { jsonScanner } from "@ci/kit/bytes/json-scanner";
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
const excesses = {
  maxValues: `Request body cannot have more than ${maxValues} values`,
  maxDepth: `Request body cannot be nested more than ${maxDepth} levels deep`,
};

/** Parses a JSON body. Throws 400 for one that is malformed, too deep or has too many values. */
export function parseJson(bytes: Buffer): unknown {
  const excess = jsonScanner({ maxDepth, maxValues })(bytes);
  if (excess) throw new Refusal(400, excesses[excess]);
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch {
    throw new Refusal(400, "Malformed JSON");
  }
}
