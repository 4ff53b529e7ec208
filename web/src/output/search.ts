import { type Found, lineSearch } from "./line-search.js";
import { joined, piecesOf } from "./source.js";

/** The page stays responsive: no work takes longer without a break. */
const workMs = 12;
const newline = 10;

const rest = () => new Promise((resolve) => setTimeout(resolve));

/** Searches the whole output so far. Calls `onFound` with what it has found so far. Returns all hits. */
export async function searchOutput(
  url: string,
  text: string,
  signal: AbortSignal,
  onFound: (found: Found) => void,
): Promise<Found> {
  const search = lineSearch(text);
  let open: Uint8Array = new Uint8Array();
  let since = performance.now();
  for await (const piece of piecesOf(url, signal)) {
    const bytes = joined(open, piece);
    const end = bytes.lastIndexOf(newline) + 1;
    if (end > 0) search.search(bytes.subarray(0, end));
    open = bytes.subarray(end);
    if (performance.now() - since < workMs) continue;
    onFound(search.found());
    await rest();
    since = performance.now();
  }
  if (open.length > 0) search.search(open);
  const found = search.found();
  onFound(found);
  return found;
}
