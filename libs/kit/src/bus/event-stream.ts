import { type JetStreamClient, type JetStreamManager, type NatsConnection, NatsError } from "nats";
import { ensureEventStream, streamName } from "./jetstream.js";
import type { NatsLink } from "./nats-link.js";

interface Opened {
  readonly nats: NatsConnection;
  readonly batches: boolean;
  readonly jetstream: JetStreamClient;
  readonly manager: JetStreamManager;
}

/** The stream of events of an installation, created when it is missing, also when NATS has lost it. */
export interface EventStream {
  readonly name: string;
  open(): Promise<Opened>;
  /** Throws the error; if it says that the stream is missing, the next `open` creates it. */
  failed(error: unknown): never;
}

/** JetStream's error code; without a stream nothing answers its subjects, which is a 503. */
const notFound = 10059;
const isMissing = (error: unknown): boolean =>
  error instanceof NatsError && (error.api_error ? error.api_error.err_code === notFound : error.code === "503");

/** Batches came with NATS 2.12. */
function knowsBatches({ info }: NatsConnection): boolean {
  const [major = 0, minor = 0] = (info?.version ?? "").split(".").map(Number);
  return major > 2 || (major === 2 && minor >= 12);
}

/** After an upgrade the stream takes batches once its keeper has started. Others look again after `lookAgainMs`. */
export function eventStream(link: NatsLink, prefix: string, { lookAgainMs = 60_000 } = {}): EventStream {
  let current: { readonly connection: number; readonly opened: Promise<Opened>; untilMs: number } | undefined;

  async function create(): Promise<Opened> {
    const nats = link.live()!;
    const manager = await nats.jetstreamManager();
    const batches = await ensureEventStream(manager, prefix, knowsBatches(nats));
    if (current && knowsBatches(nats) && !batches) current.untilMs = performance.now() + lookAgainMs;
    return { nats, batches, manager, jetstream: nats.jetstream() };
  }

  return {
    name: streamName(prefix),
    async open() {
      const connection = link.number();
      if (connection === undefined) throw new Error("NATS is away");
      // NATS may have lost the stream while the connection was down.
      if (current?.connection !== connection || performance.now() > current.untilMs)
        current = { connection, opened: create(), untilMs: Number.POSITIVE_INFINITY };
      const mine = current;
      try {
        return await mine.opened;
      } catch (error) {
        if (current === mine) current = undefined;
        throw error;
      }
    },
    failed(error) {
      if (isMissing(error)) current = undefined;
      throw error;
    },
  };
}
