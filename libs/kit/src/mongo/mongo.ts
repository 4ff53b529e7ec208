import { setTimeout as delay } from "node:timers/promises";
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
import { isMongoAway } from "./mongo-away.js";

/** How many items a page of any list has. */
export const pageSize = 25;

/** How long a call waits for a server to come. */
const selectionMs = 2_000;
/** A server that does not answer the driver for so long is given up, with all that waits for it. */
const silenceMs = 5_000;
const heartbeatMs = 2_000;
const pingMs = 600;

/** An open database. */
export interface Mongo extends AsyncDisposable {
  readonly db: Db;
  /** Fails within 1.2 s when the database does not answer. */
  ping(): Promise<void>;
}

/**
 * Opens a database. Every acknowledged write is on a majority's disk before it is answered
 * (the URL may say otherwise), so a crash of any process loses nothing that was answered.
 */
export async function openMongo(url: string, name: string): Promise<Mongo> {
  const client = await MongoClient.connect(url, {
    ignoreUndefined: true,
    writeConcern: { w: "majority", journal: true },
    serverSelectionTimeoutMS: selectionMs,
    connectTimeoutMS: silenceMs,
    heartbeatFrequencyMS: heartbeatMs,
  });
  const db = client.db(name);
  const once = () => db.command({ ping: 1 }, { timeoutMS: pingMs });
  let pinging: Promise<void> | undefined;
  return {
    db,
    ping() {
      // Twice, for an answer may have come while this process itself was stalled.
      pinging ??= once()
        .catch(once)
        .then(() => undefined)
        .finally(() => {
          pinging = undefined;
        });
      return pinging;
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

/** The same, waiting for a database that is away; `tell` hears of each attempt that failed. */
export async function awaitMongo(url: string, name: string, tell: (error: unknown) => void): Promise<Mongo> {
  for (;;) {
    try {
      return await openMongo(url, name);
    } catch (error) {
      if (!isMongoAway(error)) throw error;
      tell(error);
    }
    await delay(selectionMs);
  }
}

/** Makes the indexes that are missing; harmless when several replicas start at once. */
export async function ensureIndexes<T extends Document>(collection: Collection<T>, indexes: IndexDescription[]) {
  if (indexes.length > 0) await collection.createIndexes(indexes);
}

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

/** Whether an error is a unique index saying no. */
export const duplicateKey = (error: unknown): error is MongoServerError =>
  error instanceof MongoServerError && error.code === 11000;

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
