import type { PageInfo } from "@ci/proto/common/v1/page";
import type { Collection, Document, Filter, Sort } from "mongodb";
import { page, pageSize } from "./mongo.js";

/** MongoDB merges sorted scans for up to 200 values of an $in. With more it reads and sorts everything. */
const maxMerged = 190;

/** Fields with 1 (ascending) or -1. The last field is unique. */
export type Order = Readonly<Record<string, 1 | -1>>;

/** Filters for the caller's own records and those in any of these places. A record matches only one of them. */
export function reachableFilters<T extends Document>(
  own: Filter<T>,
  placeIds: readonly number[],
  within: (placeIds: number[]) => Filter<T>,
): Filter<T>[] {
  const filters: Filter<T>[] = [];
  for (let at = 0; at < placeIds.length; at += maxMerged) filters.push(within(placeIds.slice(at, at + maxMerged)));
  const [first, ...rest] = filters;
  // Each branch scans its own index in the order of the list, so MongoDB merges instead of sorting.
  return first ? [{ $or: [own, first] } as Filter<T>, ...rest] : [own];
}

function compared(a: unknown, b: unknown): number {
  if (typeof a === "string" && typeof b === "string") return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return Number(a) - Number(b);
}

const inOrder = (order: Order) => (a: Document, b: Document) =>
  Object.entries(order).reduce((result, [field, direction]) => result || direction * compared(a[field], b[field]), 0);

export interface Page<T> {
  readonly items: T[];
  readonly page: PageInfo;
}

/**
 * Returns one page. With an index for each filter in this order, the number of later records does not matter. `fields`
 * leaves out what the caller does not need; it has those of the order.
 */
export async function listPage<T extends Document>(
  collection: Collection<T>,
  filters: readonly Filter<T>[],
  order: Order,
  requested: number | undefined,
  fields?: Document,
): Promise<Page<T>> {
  const shown = fields && { projection: fields };
  const [only, ...more] = filters;
  if (only && more.length === 0) {
    const found = collection.find<T>(only, shown).sort(order as Sort);
    return page<T>(found, requested, () => collection.countDocuments(only));
  }
  const number = Math.max(1, requested ?? 1);
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
  const docs = await collection.find<T>({ _id: { $in: ids } } as Filter<T>, shown).toArray();
  const info = { hasNext: found.length > end };
  if (ids.length === 0 && number > 1)
    return { items: [], page: { ...info, lastPage: Math.max(1, Math.ceil(found.length / pageSize)) } };
  return { items: docs.sort(inOrder(order)), page: info };
}
