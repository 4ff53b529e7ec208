import { type Found, lineSearch } from "./line-search.js";
import { piecesOf } from "./source.js";

/** The page stays responsive: no work takes longer without a break. */
const workMs = 12;
const newline = 10;

const rest = () => new Promise((resolve) => setTimeout(resolve));

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  if (a.length === 0) return b;
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}

/** Searches the whole output so far. Calls `onFound` as it gets on. */
export async function searchOutput(
  url: string,
  text: string,
  signal: AbortSignal,
  onFound: (found: Found) => void,
): Promise<void> {
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
  onFound(search.found());
}
