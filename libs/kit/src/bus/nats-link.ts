import { setTimeout as delay } from "node:timers/promises";
import { connect, Events, type NatsConnection } from "nats";
import type { Log } from "../process/log.js";
import { computedGauge } from "../process/metrics.js";
import { natsServers } from "./nats-servers.js";
import { inboxOf } from "./nats-users.js";
import { skipsOwnNudges } from "./rights.js";

/** A connection to NATS, which may be away at any time, also at the start. */
export interface NatsLink extends AsyncDisposable {
  live(): NatsConnection | undefined;
  number(): number | undefined;
  /** Runs `begin` with every client, now or once there is one. Subscriptions survive a client's reconnects. */
  withEach(begin: (nats: NatsConnection) => void): void;
}

const showConnected = computedGauge({ name: "ci_nats_connected", help: "1 while connected to NATS, else 0" });

const pauseMs = 500;
const dialMs = 5_000;
/** The client notices a silent server after three of these. */
const pingEveryMs = 5_000;

/** Connects to NATS, and reconnects for as long as it runs. Resolves after the first attempt, successful or not. */
export async function openNatsLink(url: string, name: string, log: Log): Promise<NatsLink> {
  const stopping = new AbortController();
  let client: NatsConnection | undefined;
  let connected = false;
  let connections = 0;
  const begins: ((nats: NatsConnection) => void)[] = [];

  function lost(reason: unknown): void {
    if (connected || connections === 0) log.warn({ err: reason }, "NATS is away, reconnecting");
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

  async function runClient(): Promise<void> {
    const nats = await connect({
      ...natsServers(url),
      name,
      inboxPrefix: inboxOf(name),
      noEcho: skipsOwnNudges(name),
      timeout: dialMs,
      maxReconnectAttempts: -1,
      reconnectTimeWait: pauseMs,
      pingInterval: pingEveryMs,
      noAsyncTraces: true,
      // While a password changes, servers may refuse it for a short time.
      ignoreAuthErrorAbort: true,
    });
    if (stopping.signal.aborted) return nats.close();
    client = nats;
    connections++;
    connected = true;
    for (const begin of begins) begin(nats);
    attempted();
    void watch(nats);
    const reason = await nats.closed();
    if (!stopping.signal.aborted) lost(reason ?? new Error("The connection was closed"));
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      await runClient().catch(lost);
      attempted();
      await delay(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  let attempted = () => {};
  const firstAttempt = new Promise<void>((resolve) => {
    attempted = resolve;
  });
  const running = run();
  await firstAttempt;
  const isLive = () => connected && client?.isClosed() === false;
  const gauge = showConnected(async () => [{ value: isLive() ? 1 : 0 }]);
  return {
    live: () => (isLive() ? client : undefined),
    number: () => (isLive() ? connections : undefined),
    withEach(begin) {
      begins.push(begin);
      if (client?.isClosed() === false) begin(client);
    },
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await gauge[Symbol.asyncDispose]();
      await client?.close();
      await running;
    },
  };
}

/** Calls a function after every connect and reconnect, and now if connected. */
export function onConnected(link: Pick<NatsLink, "withEach">, listener: () => void): void {
  link.withEach(async (nats) => {
    listener();
    for await (const { type } of nats.status()) if (type === Events.Reconnect) listener();
  });
}
