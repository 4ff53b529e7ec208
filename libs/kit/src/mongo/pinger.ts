import { setTimeout as delay, setImmediate as nextTurn } from "node:timers/promises";
import type { MongoClientOptions } from "mongodb";
import { connectClient } from "./client.js";

const patienceMs = 600;
/** After this time the driver closes the connection, which may be dead. */
const timeoutMS = 3_000;
/** How often the driver looks at the database by itself. After a failed ping, a new client looks at once. */
const heartbeatFrequencyMS = 300_000;
/** Limits the new clients that a merely slow database has to accept. */
const renewEveryMs = 5_000;
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
  const open = () =>
    connectClient(url, { ...options, maxPoolSize: 2, waitQueueTimeoutMS: timeoutMS, heartbeatFrequencyMS });
  let client = await open();
  let pinging: Promise<void> | undefined;
  let renewing: Promise<void> | undefined;
  let renewAt = 0;

  const pingOnce = () => inTime(client.db("admin").command({ ping: 1 }, { timeoutMS }));
  async function renew(): Promise<void> {
    const newClient = await open();
    const oldClient = client;
    client = newClient;
    await oldClient.close();
  }
  /** Looks for another primary: the driver takes a silent one for healthy until its next heartbeat. */
  function onFailure(error: unknown): never {
    if (performance.now() >= renewAt) {
      renewAt = performance.now() + renewEveryMs;
      renewing ??= renew()
        .catch(() => undefined)
        .finally(() => {
          renewing = undefined;
        });
    }
    throw error;
  }

  return {
    ping() {
      // Try twice, because a connection may have been lost.
      pinging ??= pingOnce()
        .catch(pingOnce)
        .catch(onFailure)
        .finally(() => {
          pinging = undefined;
        });
      return pinging;
    },
    async [Symbol.asyncDispose]() {
      renewAt = Number.POSITIVE_INFINITY;
      await renewing;
      await client.close();
    },
  };
}
