import { setTimeout as delay } from "node:timers/promises";
import { connect, Events, type NatsConnection } from "nats";
import type { Log } from "../process/log.js";
import { computedGauge } from "../process/metrics.js";
import { natsServers } from "./nats-servers.js";

/** A connection to NATS that may be away, also at the start. */
export interface NatsLink extends AsyncDisposable {
  /** The connection, unless it is down. */
  live(): NatsConnection | undefined;
  /** Tells connections apart; undefined while there is none. */
  number(): number | undefined;
  /** Does this with every client, now or when there is one. What is subscribed to survives a client's reconnects. */
  withEach(begin: (nats: NatsConnection) => void): void;
}

const showConnected = computedGauge({ name: "ci_nats_connected", help: "1 while connected to NATS, else 0" });

const pauseMs = 500;
const dialMs = 5_000;
/** A server that falls silent without a word is noticed after three of these. */
const pingEveryMs = 5_000;

/**
 * Connects to NATS, and again whenever the connection is lost or closed. Resolves after the first attempt, whatever came
 * of it.
 */
export async function openNatsLink(url: string, name: string, log: Log): Promise<NatsLink> {
  const stopping = new AbortController();
  let client: NatsConnection | undefined;
  let connected = false;
  let connections = 0;
  const begins: ((nats: NatsConnection) => void)[] = [];

  function lost(why: unknown): void {
    if (connected || connections === 0) log.warn({ err: why }, "NATS is away, connecting again");
    connected = false;
  }

  async function watch(nats: NatsConnection): Promise<void> {
    for await (const { type, data } of nats.status()) {
      if (type === Events.Disconnect) lost(new Error(`Disconnected from ${data}`));
      if (type !== Events.Reconnect) continue;
      connections++;
      connected = true;
      log.info("NATS is back");
    }
  }

  /** One client, from its connection to its end. */
  async function use(): Promise<void> {
    const nats = await connect({
      ...natsServers(url),
      name,
      timeout: dialMs,
      maxReconnectAttempts: -1,
      reconnectTimeWait: pauseMs,
      pingInterval: pingEveryMs,
      // A password that is being changed is refused for a while, which is no reason to give up.
      ignoreAuthErrorAbort: true,
    });
    if (stopping.signal.aborted) return nats.close();
    client = nats;
    connections++;
    connected = true;
    for (const begin of begins) begin(nats);
    tried();
    void watch(nats);
    const why = await nats.closed();
    if (!stopping.signal.aborted) lost(why ?? new Error("The connection was closed"));
  }

  async function keep(): Promise<void> {
    while (!stopping.signal.aborted) {
      await use().catch(lost);
      tried();
      await delay(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  let tried = () => {};
  const firstTried = new Promise<void>((resolve) => {
    tried = resolve;
  });
  const kept = keep();
  await firstTried;
  const isLive = () => connected && client?.isClosed() === false;
  const shown = showConnected(async () => [{ value: isLive() ? 1 : 0 }]);
  return {
    live: () => (isLive() ? client : undefined),
    number: () => (isLive() ? connections : undefined),
    withEach(begin) {
      begins.push(begin);
      if (client?.isClosed() === false) begin(client);
    },
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await shown[Symbol.asyncDispose]();
      await client?.close();
      await kept;
    },
  };
}
