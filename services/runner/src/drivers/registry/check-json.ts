import { isUtf8 } from "node:buffer";
import { jsonScanner } from "@ci/kit/bytes/json-scanner";
import { FetchFailed } from "@ci/kit/net/fetch-failed";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { pacer } from "@ci/kit/turns/pacer";

const about = "the manifest or the configuration of an image of a registry that is not trusted";
const maxDepth = fixedLimit({
  max: 32,
  about: `levels of ${about}`,
  refusal: "Image X could not be pulled: its manifest is nested more than N levels deep",
});
const maxValues = fixedLimit({
  max: 20_000,
  about: `values in ${about}`,
  refusal: "Image X could not be pulled: its manifest has more than N values",
});
const pieceBytes = 64 * 1024;

/** Throws if parsing the JSON would take long. */
export async function checkJson(bytes: Buffer, what: "manifest" | "configuration"): Promise<void> {
  if (!isUtf8(bytes)) throw new FetchFailed(`its ${what} is not UTF-8`);
  const scan = jsonScanner({ maxDepth, maxValues });
  const pace = pacer(pieceBytes);
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    const excess = scan(bytes.subarray(at, at + pieceBytes));
    if (excess === "maxDepth") throw new FetchFailed(`its ${what} is nested more than ${maxDepth} levels deep`);
    if (excess) throw new FetchFailed(`its ${what} has more than ${maxValues} values`);
    await pace(pieceBytes);
  }
}
