import { setTimeout as delay } from "node:timers/promises";
import {
  type Collection,
  type Db,
  type Document,
  type FindCursor,
  type IndexDescription,
  MongoBulkWriteError,
  MongoClient,
  type MongoClientOptions,
  MongoServerError,
} from "mongodb";
import type { Log } from "../process/log.js";
import { type Fault, invalid } from "../rpc/fault.js";
import { lastPageOf, type Page, pageSize } from "../rpc/page.js";
import { connectClient } from "./client.js";
import { listTime, refuseSlow } from "./list-time.js";
import { logCommands, logsCommands } from "./log-commands.js";
import { isMongoAway } from "./mongo-away.js";
import { openPinger, type Pinger } from "./pinger.js";
import { readSlowly } from "./read-slowly.js";
import { fileContext } from "./tls-context.js";

const selectionMs = 2_000;
/** The driver gives up a server that is silent for this long, with all pending calls. */
const silenceMs = 5_000;
const heartbeatMs = 5_000;

export interface Mongo extends AsyncDisposable, Pick<Pinger, "ping"> {
  readonly db: Db;
}

/** Returns what the driver needs to follow changes of the files with certificates that the URL names. */
function tlsOptions(url: string): MongoClientOptions {
  const { options } = new MongoClient(url);
  return options.tls && options.tlsCAFile ? { secureContext: fileContext(options) } : {};
}

/** Unless the URL says otherwise, acknowledged writes are on a majority's disk, so no crash loses them. */
export async function openMongo(url: string, name: string, log?: Log): Promise<Mongo> {
  const connection = {
    serverSelectionTimeoutMS: selectionMs,
    connectTimeoutMS: silenceMs,
    heartbeatFrequencyMS: heartbeatMs,
    // Streaming takes a second connection, and twice as many requests. A failed command makes the driver look at once.
    serverMonitoringMode: "poll" as const,
    ...tlsOptions(url),
  };
  const client = await connectClient(url, {
    monitorCommands: logsCommands(log),
    ignoreUndefined: true,
    writeConcern: { w: "majority", journal: true },
    ...connection,
  });
  const pinger = await openPinger(url, connection).catch(async (error) => {
    await client.close();
    throw error;
  });
  if (log && logsCommands(log)) logCommands(client, log);
  return {
    db: client.db(name),
    ping: pinger.ping,
    async [Symbol.asyncDispose]() {
      await Promise.all([pinger[Symbol.asyncDispose](), client.close()]);
    },
  };
}

/** The bundled MongoDB responds some seconds before its users exist. */
const mostRefusals = 15;
const authenticationFailed = 18;

/** Opens a database, and retries while it is unreachable. Calls `onFailure` for each failed attempt. */
export async function awaitMongo(
  url: string,
  name: string,
  onFailure: (error: unknown) => void,
  log?: Log,
): Promise<Mongo> {
  for (let refusals = 0; ; ) {
    try {
      return await openMongo(url, name, log);
    } catch (error) {
      if (error instanceof MongoServerError && error.code === authenticationFailed) {
        refusals++;
        if (refusals > mostRefusals) throw new Error("MongoDB refuses the user or the password of MONGO_URL");
      } else if (!isMongoAway(error)) throw error;
      onFailure(error);
    }
    await delay(selectionMs);
  }
}

export async function ensureIndexes<T extends Document>(collection: Collection<T>, indexes: IndexDescription[]) {
  if (indexes.length > 0) await collection.createIndexes(indexes);
}

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

export const duplicateKey = (error: unknown): error is MongoServerError =>
  error instanceof MongoServerError && error.code === 11000;

/** Awaits an insert. Returns false if a unique index refused it. */
export const insertedUnlessTaken = (insert: Promise<unknown>): Promise<boolean> =>
  insert.then(
    () => true,
    (error) => {
      if (duplicateKey(error)) return false;
      throw error;
    },
  );

/** Reports whether a bulk insert failed only because these unique indexes refused some documents. */
export function onlyRefusedBy(indexes: string | readonly string[], error: unknown): boolean {
  if (!(error instanceof MongoBulkWriteError) || error.result.getWriteConcernError() !== undefined) return false;
  const refused = [error.writeErrors].flat();
  const isDuplicate = ({ code, errmsg = "" }: (typeof refused)[number]) =>
    code === 11000 && [indexes].flat().some((index) => errmsg.includes(`index: ${index} dup key`));
  return refused.length > 0 && refused.every(isDuplicate);
}

/** Turns a duplicate key into a complaint about one field; rethrows other errors. */
export function complainIfTaken(field: string, message: string): (error: unknown) => never {
  return (error) => {
    if (duplicateKey(error)) throw invalid({ [field]: [message] }) satisfies Fault;
    throw error;
  };
}
