import type { PageInfo } from "@ci/proto/common/v1/page";
import type { Collection, Document, Filter, Sort } from "mongodb";
import { page, pageSize } from "./mongo.js";

/** MongoDB merges the sorted scans of up to 200 values of an $in; with more it reads all they have and sorts it. */
const mostMerged = 190;

/** The order of a list: fields with 1 (ascending) or -1. It ends in a field that no two records share. */
export type Order = Readonly<Record<string, 1 | -1>>;

/**
 * The filters for what is the caller's own and what lies in any of these places; a record matches only one of them.
 * `within` makes the filter for some of the places.
 */
export function reachableFilters<T extends Document>(
  own: Filter<T>,
  placeIds: readonly number[],
  within: (placeIds: number[]) => Filter<T>,
): Filter<T>[] {
  const filters: Filter<T>[] = [];
  for (let at = 0; at < placeIds.length; at += mostMerged) filters.push(within(placeIds.slice(at, at + mostMerged)));
  const [first, ...rest] = filters;
  // Each branch walks its own index in the order of the list, so that the two are merged and not sorted.
  return first ? [{ $or: [own, first] } as Filter<T>, ...rest] : [own];
}

/** MongoDB's own order of what lists are sorted by: texts by code point, numbers and times. */
function compared(a: unknown, b: unknown): number {
  if (typeof a === "string" && typeof b === "string") return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return Number(a) - Number(b);
}

const inOrder = (order: Order) => (a: Document, b: Document) =>
  Object.entries(order).reduce((sofar, [field, way]) => sofar || way * compared(a[field], b[field]), 0);

/**
 * One page of what any of these filters finds. Costs as much as the records before the page and on it have,
 * however many there are behind it, if an index serves each filter in this order.
 */
export async function listPage<T extends Document>(
  collection: Collection<T>,
  filters: readonly Filter<T>[],
  order: Order,
  asked: number | undefined,
): Promise<{ items: T[]; page: PageInfo }> {
  const [only, ...more] = filters;
  if (only && more.length === 0) {
    const found = collection.find<T>(only).sort(order as Sort);
    return page<T>(found, asked, () => collection.countDocuments(only));
  }
  const number = Math.max(1, asked ?? 1);
  const end = number * pageSize;
  const projection = Object.fromEntries(Object.keys(order).map((field) => [field, 1]));
  const heads = await Promise.all(
    filters.map((filter) =>
      collection
        .find(filter, { projection })
        .sort(order as Sort)
        .limit(end + 1)
        .toArray(),
    ),
  );
  const found = heads.flat().sort(inOrder(order));
  const ids = found.slice(end - pageSize, end).map(({ _id }) => _id);
  const docs = await collection.find<T>({ _id: { $in: ids } } as Filter<T>).toArray();
  const info = { hasNext: found.length > end };
  // Whatever ended a list before the page is here as a whole.
  if (ids.length === 0 && number > 1)
    return { items: [], page: { ...info, lastPage: Math.max(1, Math.ceil(found.length / pageSize)) } };
  return { items: docs.sort(inOrder(order)), page: info };
}
