import { setTimeout as delay } from "node:timers/promises";
import {
  type Collection,
  type Db,
  type Document,
  type IndexDescription,
  MongoClient,
  type MongoClientOptions,
  MongoServerError,
} from "mongodb";
import type { Log } from "../process/log.js";
import { connectClient } from "./client.js";
import { logCommands, logsCommands } from "./log-commands.js";
import { isMongoAway } from "./mongo-away.js";
import { openPinger, type Pinger } from "./pinger.js";
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
