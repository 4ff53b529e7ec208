import { setTimeout as delay, setImmediate as nextTurn } from "node:timers/promises";
import type { MongoClientOptions } from "mongodb";
import { connectClient } from "./client.js";

const patienceMs = 600;
/** After this time the driver closes the connection, which may be dead. */
const timeoutMS = 3_000;
/** How often the driver looks at the database while nothing is asked: a failed ping makes it look at once. */
const heartbeatFrequencyMS = 300_000;
/** Turns of the event loop in which the driver reads a response that has arrived. */
const turns = 5;

/** Fails if `answer` has not arrived in time. Time in which this process itself was busy does not count. */
async function inTime(answer: Promise<unknown>): Promise<void> {
  const done = new AbortController();
  const late = async () => {
    await delay(patienceMs, undefined, { signal: done.signal });
    // After a stall, timers run before what has arrived meanwhile is read.
    for (let turn = 0; turn < turns; turn++) await nextTurn();
    throw new Error(`The database did not respond within ${patienceMs} ms`);
  };
  try {
    await Promise.race([answer, late()]);
  } finally {
    done.abort();
  }
}

export interface Pinger extends AsyncDisposable {
  /** Fails within 1.2 s when the database does not answer. Concurrent calls share one ping. */
  ping(): Promise<void>;
}

/** Connects a client of its own: commands of others may use all connections of the service's, for as long as they take. */
export async function openPinger(url: string, options: MongoClientOptions): Promise<Pinger> {
  const client = await connectClient(url, { ...options, maxPoolSize: 2, heartbeatFrequencyMS });
  const pingOnce = () => inTime(client.db("admin").command({ ping: 1 }, { timeoutMS }));
  let pinging: Promise<void> | undefined;
  return {
    ping() {
      // Try twice, because a connection may have been lost.
      pinging ??= pingOnce()
        .catch(pingOnce)
        .finally(() => {
          pinging = undefined;
        });
      return pinging;
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}
