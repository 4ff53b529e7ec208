import { setMaxListeners } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import type { Collection, Db } from "mongodb";
import { type Bus, connectBus } from "../bus/bus.js";
import { type Clock, databaseClock } from "../mongo/clock.js";
import { type Migration, migrateAll } from "../mongo/migrate.js";
import { awaitMongo, type Mongo } from "../mongo/mongo.js";
import { isMongoAway } from "../mongo/mongo-away.js";
import { type Nudge, relay } from "../mongo/outbox.js";
import { ensureQuotas } from "../mongo/quota.js";
import type { ServiceName } from "../rpc/callers.js";
import { connect, type Peer } from "../rpc/connect.js";
import { openIdentity } from "../rpc/identity.js";
import { type Handling, serveRpc } from "../rpc/serve.js";
import { serveAdmin } from "./admin.js";
import { assembled, type Parts } from "./assembled.js";
import type { ServiceConfig } from "./config.js";
import { drainer } from "./drain.js";
import { createLog, type Log } from "./log.js";
import { loop, type Waking } from "./loop.js";
import type { Running } from "./run.js";

export interface Host extends Pick<Parts, "own"> {
  readonly log: Log;
  readonly db: Db;
  readonly bus: Bus;
  /** The database's time, which all processes share. */
  now(): Date;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Connects to another service. */
  connect(address: string): Peer;
  loop(name: string, everyMs: number, pass: () => Promise<unknown>, restMs?: number): Waking;
  relay(...collections: Collection<never>[]): Nudge;
  migrate(migrations: readonly Migration[]): void;
}

export interface Service extends Running {
  readonly port: number;
  readonly adminPort: number;
}

const migrateEveryMs = 60_000;
const migrateRestMs = 15 * 60_000;

type Build = (host: Host) => Promise<(server: Handling) => void>;

const againMs = 2_000;

/** Serves the admin port, waits for the database and serves what `build` adds. Disposing stops in reverse order. */
export const host = (service: ServiceName, config: ServiceConfig, build: Build): Promise<Service> =>
  assembled(async ({ own }) => {
    const log = createLog(service, config.logLevel);
    let ping: Mongo["ping"] | undefined;
    const ready = async () => {
      if (!ping) throw new Error("Starting");
      await ping();
    };
    const { check, drain } = drainer(config.stopDelayMs, () => log.info("draining"));
    const admin = own(await serveAdmin(config.adminListen, check, ready, () => ping !== undefined));
    const onFailure = (err: unknown) => log.warn({ err }, "MongoDB is not ready, waiting for it");
    const serving = own(await untilServing(() => serve(service, config, build, { log, onFailure }), onFailure));
    ping = serving.ping;
    own({ [Symbol.asyncDispose]: () => drain(AbortSignal.abort()) });
    log.info({ port: serving.port, adminPort: admin.port }, "serving");
    return { port: serving.port, adminPort: admin.port, drain };
  });

/** Starts again if MongoDB goes away meanwhile. */
async function untilServing<T>(start: () => Promise<T>, onFailure: (error: unknown) => void): Promise<T> {
  for (;;) {
    try {
      return await start();
    } catch (error) {
      if (!isMongoAway(error)) throw error;
      onFailure(error);
    }
    await delay(againMs);
  }
}

const serve = (
  service: ServiceName,
  config: ServiceConfig,
  build: Build,
  { log, onFailure }: { log: Log; onFailure: (error: unknown) => void },
) =>
  assembled(async ({ own }) => {
    const stopping = new AbortController();
    // Each loop adds a listener; Node would warn about more than ten.
    setMaxListeners(0, stopping.signal);
    const on = { signal: stopping.signal, log };
    const untilDone = (done: Promise<unknown>) =>
      own({
        async [Symbol.asyncDispose]() {
          stopping.abort();
          await done;
        },
      });
    const repeat: Host["loop"] = (name, everyMs, pass, restMs) => {
      const { done, ...waking } = loop(name, everyMs, pass, { ...on, restMs });
      untilDone(done);
      return waking;
    };
    const mongo = own(await awaitMongo(config.mongoUrl, config.mongoDb, onFailure, log));
    const clock = await databaseClock(mongo.db);
    await ensureQuotas(mongo.db);
    const identity = own(openIdentity(config.identity, log));
    const bus = own(await connectBus(config.natsUrl, config.subjectPrefix, service, log));
    const add = await build({
      log,
      db: mongo.db,
      bus,
      now: clock.now,
      clock,
      signal: stopping.signal,
      own,
      connect: (address) => own(connect(address, identity)),
      loop: repeat,
      migrate(migrations) {
        repeat("migrate", migrateEveryMs, () => migrateAll(mongo.db, migrations, on.signal), migrateRestMs);
      },
      relay(...collections) {
        const { nudge, done } = relay(collections, bus, on);
        untilDone(done);
        return nudge;
      },
    });
    const { listen, stopGraceMs: graceMs } = config;
    const { port } = own(await serveRpc({ listen, log, identity, graceMs, ping: mongo.ping }, add));
    return { port, ping: mongo.ping };
  });
