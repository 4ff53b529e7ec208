import { setMaxListeners } from "node:events";
import type { Collection, Db } from "mongodb";
import type { Server } from "nice-grpc";
import { type Bus, connectBus } from "../bus/bus.js";
import { databaseClock } from "../mongo/clock.js";
import { type Migration, migrateAll } from "../mongo/migrate.js";
import { awaitMongo } from "../mongo/mongo.js";
import { type Nudge, relay } from "../mongo/outbox.js";
import { type Call, serveRpc } from "../rpc/rpc.js";
import { serveAdmin } from "./admin.js";
import type { ServiceConfig } from "./config.js";
import { drainer } from "./drain.js";
import { createLog, type Log } from "./log.js";
import { loop } from "./loop.js";
import type { Running } from "./run.js";

/** What a service is built from. */
export interface Host {
  readonly log: Log;
  readonly db: Db;
  readonly bus: Bus;
  /** The time that all processes share: the database's. */
  now(): Date;
  /** Aborted when the service stops. */
  readonly signal: AbortSignal;
  /** Disposes of something when the service stops, the last one first. */
  own<T extends AsyncDisposable>(part: T): T;
  /** Repeats a pass until the service stops. */
  loop(name: string, everyMs: number, pass: () => Promise<unknown>): { wake(): void };
  /** Relays the outboxes of these collections; answers the function that says "this document has news". */
  relay(...collections: Collection<never>[]): Nudge;
  /** Brings what older versions have stored up to date, beside everything else. */
  migrate(migrations: readonly Migration[]): void;
}

/** A started service. */
export interface Service extends Running {
  readonly port: number;
  readonly adminPort: number;
}

const migrateEveryMs = 60_000;
const compareClocksEveryMs = 10_000;

/**
 * Starts a service: opens its database, however long that is away, and the bus, lets `build` make the handlers and loops from them,
 * serves gRPC and the admin port. Draining says on the admin port that it is not ready. Disposing stops in reverse: no
 * new calls, those that run end, loops end, connections close; the admin port answers until then.
 */
export async function host(
  service: string,
  config: ServiceConfig,
  build: (host: Host) => Promise<(server: Server<Call>) => void>,
): Promise<Service> {
  const stopping = new AbortController();
  // Each loop adds a listener, so Node's warning about more than ten would be wrong here.
  setMaxListeners(0, stopping.signal);
  const log = createLog(service, config.logLevel);
  const on = { signal: stopping.signal, log };
  const parts: AsyncDisposable[] = [];
  const own = <T extends AsyncDisposable>(part: T): T => {
    parts.push(part);
    return part;
  };
  const untilDone = (done: Promise<unknown>) =>
    own({
      async [Symbol.asyncDispose]() {
        stopping.abort();
        await done;
      },
    });
  const repeat: Host["loop"] = (name, everyMs, pass) => {
    const { wake, done } = loop(name, everyMs, pass, on);
    untilDone(done);
    return { wake };
  };
  const dispose = async () => {
    for (const part of parts.reverse()) await part[Symbol.asyncDispose]();
  };
  try {
    const waiting = (err: unknown) => log.warn({ err }, "MongoDB is away, waiting for it");
    const mongo = own(await awaitMongo(config.mongoUrl, config.mongoDb, waiting));
    const clock = await databaseClock(mongo.db);
    repeat("compare-clocks", compareClocksEveryMs, clock.compare);
    const bus = own(await connectBus(config.natsUrl, config.subjectPrefix, service, log));
    const add = await build({
      log,
      db: mongo.db,
      bus,
      now: clock.now,
      signal: stopping.signal,
      own,
      loop: repeat,
      migrate(migrations) {
        repeat("migrate", migrateEveryMs, () => migrateAll(mongo.db, migrations, on.signal));
      },
      relay(...collections) {
        const { nudge, done } = relay(collections, bus, on);
        untilDone(done);
        return nudge;
      },
    });
    const { listen, adminListen, stopGraceMs: graceMs, tls } = config;
    const rpc = own(await serveRpc({ listen, log, tls, graceMs, ping: mongo.ping }, add));
    const { check, drain } = drainer(config.stopDelayMs, () => log.info("draining"));
    const admin = await serveAdmin(adminListen, async () => {
      check();
      await mongo.ping();
    });
    parts.unshift(admin);
    own({ [Symbol.asyncDispose]: () => drain(AbortSignal.abort()) });
    log.info({ port: rpc.port, adminPort: admin.port }, "serving");
    return { port: rpc.port, adminPort: admin.port, drain, [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}
