import type { Collection, Document, Filter, Sort } from "mongodb";
import { lastPageOf, type Page, pageSize } from "../rpc/page.js";
import { listTime, refuseSlow } from "./list-time.js";
import { page } from "./page.js";
import { readSlowly } from "./read-slowly.js";

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

interface Shown<T> {
  /** Leaves out what the caller does not need; it has the fields of the order. */
  readonly fields?: Document;
  /** Called as soon as a record is decoded. */
  readonly shorten?: (doc: T) => T;
}

/** Returns one page of ids, and the next one. MongoDB merges, so the service holds no earlier ids. */
async function idsOfPage<T extends Document>(
  collection: Collection<T>,
  filters: readonly Filter<T>[],
  order: Order,
  number: number,
): Promise<T["_id"][]> {
  const end = number * pageSize;
  const sorted = { $sort: order };
  const project = Object.fromEntries(Object.keys(order).map((field) => [field, 1]));
  const [first = [], ...others] = filters.map((filter) => [
    { $match: filter },
    sorted,
    { $limit: end + 1 },
    { $project: project },
  ]);
  const unions = others.map((pipeline) => ({ $unionWith: { coll: collection.collectionName, pipeline } }));
  const pipeline = [...first, ...unions, sorted, { $skip: end - pageSize }, { $limit: pageSize + 1 }];
  return (await collection.aggregate<T>(pipeline, listTime).toArray()).map(({ _id }) => _id);
}

async function count<T extends Document>(collection: Collection<T>, filters: readonly Filter<T>[]): Promise<number> {
  const counts = await Promise.all(filters.map((filter) => collection.countDocuments(filter, listTime)));
  return counts.reduce((sum, each) => sum + each, 0);
}

async function mergedPage<T extends Document>(
  collection: Collection<T>,
  filters: readonly Filter<T>[],
  order: Order,
  number: number,
  { fields, shorten }: Shown<T>,
): Promise<Page<T>> {
  if (number > 1) {
    const lastPage = lastPageOf(await count(collection, filters));
    if (number > lastPage) return { items: [], page: { hasNext: false, lastPage } };
  }
  const ids = await idsOfPage(collection, filters, order, number);
  const shownIds = ids.slice(0, pageSize);
  const found = collection.find<T>({ _id: { $in: shownIds } } as Filter<T>, { projection: fields, ...listTime });
  const docs = await readSlowly(shorten ? found.map(shorten) : found);
  const places = new Map(shownIds.map((id, place) => [id, place]));
  return {
    items: docs.sort((a, b) => places.get(a._id)! - places.get(b._id)!),
    page: { hasNext: ids.length > pageSize },
  };
}

/** Returns one page. With an index for each filter in this order, the number of later records does not matter. */
export async function listPage<T extends Document>(
  collection: Collection<T>,
  filters: readonly Filter<T>[],
  order: Order,
  requested: number | undefined,
  shown: Shown<T> = {},
): Promise<Page<T>> {
  const [only, ...more] = filters;
  if (only && more.length === 0) {
    const { fields, shorten } = shown;
    const found = collection.find<T>(only, { projection: fields }).sort(order as Sort);
    return page<T>(shorten ? found.map(shorten) : found, requested, (options) =>
      collection.countDocuments(only, options),
    );
  }
  return mergedPage(collection, filters, order, Math.max(1, requested ?? 1), shown).catch(refuseSlow);
}
