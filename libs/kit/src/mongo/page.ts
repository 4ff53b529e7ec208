import type { FindCursor } from "mongodb";
import { lastPageOf, type Page, pageSize } from "../rpc/page.js";
import { listTime, refuseSlow } from "./list-time.js";
import { readSlowly } from "./read-slowly.js";

/** Returns one page. `count` is called only for a page past the end. */
export async function page<T extends object>(
  cursor: FindCursor<T>,
  requested: number | undefined,
  count: (options: typeof listTime) => Promise<number>,
): Promise<Page<T>> {
  const number = Math.max(1, requested ?? 1);
  cursor
    .skip((number - 1) * pageSize)
    .limit(pageSize + 1)
    .maxTimeMS(listTime.maxTimeMS);
  const found = await readSlowly(cursor).catch(refuseSlow);
  if (found.length > 0 || number === 1)
    return { items: found.slice(0, pageSize), page: { hasNext: found.length > pageSize } };
  const all = await count(listTime).catch(refuseSlow);
  return { items: [], page: { hasNext: false, lastPage: lastPageOf(all) } };
}
