import type { PageInfo } from "@ci/proto/common/v1/page";
import {
  type Collection,
  type Db,
  type Document,
  type Filter,
  type FindCursor,
  type IndexDescription,
  MongoBulkWriteError,
  MongoClient,
  MongoServerError,
} from "mongodb";
import { type Fault, invalid } from "../rpc/fault.js";

/** How many items a page of any list has. */
export const pageSize = 25;

/**
 * Opens a database. Every acknowledged write is on a majority's disk before it is answered
 * (the URL may say otherwise), so a crash of any process loses nothing that was answered.
 */
export async function openMongo(
  url: string,
  name: string,
): Promise<AsyncDisposable & { db: Db; ping(): Promise<void> }> {
  const client = await MongoClient.connect(url, {
    ignoreUndefined: true,
    writeConcern: { w: "majority", journal: true },
    serverSelectionTimeoutMS: 10_000,
  });
  const db = client.db(name);
  return {
    db,
    ping: async () => void (await db.command({ ping: 1 })),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

/** Makes the indexes that are missing; harmless when several replicas start at once. */
export async function ensureIndexes<T extends Document>(collection: Collection<T>, indexes: IndexDescription[]) {
  if (indexes.length > 0) await collection.createIndexes(indexes);
}

interface Counter {
  _id: string;
  [name: string]: number | string;
}

/**
 * Reserves ids: `nextIds(db, "ids", { builds: 1, jobs: 4 })` answers the first of each, the rest follow without gap.
 * Counters of one document are taken in one write; where nothing is counted, nothing is written. Numbers are never given twice; after a crash some may stay unused.
 * The write need not wait for the disk: whatever uses the numbers is written later and reaches the disk after it.
 */
export async function nextIds<K extends string>(
  db: Db,
  document: string,
  counts: Record<K, number>,
): Promise<Record<K, number>> {
  if (Object.values(counts).every((count) => count === 0)) return counts;
  const counter = await db
    .collection<Counter>("counters")
    .findOneAndUpdate(
      { _id: document },
      { $inc: counts as never },
      { upsert: true, returnDocument: "after", writeConcern: { w: 1, journal: false } },
    )
    .catch((error) => {
      if (duplicateKey(error)) return undefined;
      throw error;
    });
  // Two first writers may both try to make the document; the one that lost finds it now.
  if (!counter) return nextIds(db, document, counts);
  const names = Object.keys(counts) as K[];
  return Object.fromEntries(names.map((name) => [name, (counter[name] as number) - counts[name] + 1])) as Record<
    K,
    number
  >;
}

/** Reserves one id of a kind. */
export const nextId = async (db: Db, name: string): Promise<number> => (await nextIds(db, name, { id: 1 })).id;

/** One page of what a cursor finds, and where it lies. `count` is asked only for a page past the end. */
export async function page<T>(
  cursor: FindCursor<T>,
  asked: number | undefined,
  count: () => Promise<number>,
): Promise<{ items: T[]; page: PageInfo }> {
  const number = Math.max(1, asked ?? 1);
  const found = await cursor
    .skip((number - 1) * pageSize)
    .limit(pageSize + 1)
    .toArray();
  const info: PageInfo = { hasNext: found.length > pageSize };
  if (found.length > 0 || number === 1) return { items: found.slice(0, pageSize), page: info };
  return { items: [], page: { ...info, lastPage: Math.max(1, Math.ceil((await count()) / pageSize)) } };
}

/** One page of a list that is already in memory. */
export function pageOf<T>(all: readonly T[], asked: number | undefined): { items: T[]; page: PageInfo } {
  const number = Math.max(1, asked ?? 1);
  const items = all.slice((number - 1) * pageSize, number * pageSize);
  if (items.length === 0 && number > 1)
    return { items, page: { hasNext: false, lastPage: Math.max(1, Math.ceil(all.length / pageSize)) } };
  return { items, page: { hasNext: all.length > number * pageSize } };
}

/** A filter for "contains this text, upper or lower case"; no character of the text is a wildcard. */
export const containing = (text: string): Filter<Document> => ({
  // A pattern ends at its first NUL, so it has to be written otherwise.
  $regex: text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&").replaceAll("\0", "\\x00"),
  $options: "i",
});

const isDuplicate = (error: unknown): error is MongoServerError =>
  error instanceof MongoServerError && error.code === 11000;

/** The errors of an insert of many are told by their text alone. */
const idIndex = /^E11000 duplicate key error collection: \S+ index: _id_ dup key: \{ _id: \d+ \}/;

/**
 * Whether an error says that an id is taken. When MongoDB dies, `nextIds` may give a number a second time to somebody
 * while the first one still tries to store it: whoever comes second has to ask for another.
 */
export const duplicateId = (error: unknown): boolean => isDuplicate(error) && idIndex.test(error.message);

/** Whether an error is a unique index saying no to what a record is, not to its id. */
export const duplicateKey = (error: unknown): boolean => isDuplicate(error) && !duplicateId(error);

/**
 * Whether an unordered insert of many came to nothing worse than that a unique index refused some: all others are stored.
 * A connection that breaks comes as an error of the same class in which nothing was refused: then nobody knows.
 */
export function onlyRefusedBy(index: string, error: unknown): boolean {
  if (!(error instanceof MongoBulkWriteError) || error.result.getWriteConcernError() !== undefined) return false;
  const refused = [error.writeErrors].flat();
  const isKnown = ({ code, errmsg = "" }: (typeof refused)[number]) =>
    code === 11000 && errmsg.includes(`index: ${index} dup key`);
  return refused.length > 0 && refused.every(isKnown);
}

/** Turns a unique index's no into a complaint about one field; anything else is thrown on. */
export function complainIfTaken(field: string, message: string): (error: unknown) => never {
  return (error) => {
    if (duplicateKey(error)) throw invalid({ [field]: [message] }) satisfies Fault;
    throw error;
  };
}
