import { type JetStreamClient, type JetStreamManager, type NatsConnection, NatsError } from "nats";
import { type BatchSupport, batchSupport } from "./batch-support.js";
import { ensureEventStream, streamName } from "./jetstream.js";
import type { NatsLink } from "./nats-link.js";

interface Opened {
  readonly nats: NatsConnection;
  readonly batches: BatchSupport;
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

export function eventStream(link: NatsLink, prefix: string, { askAgainMs = 60_000 } = {}): EventStream {
  let current: { readonly connection: number; readonly opened: Promise<Opened> } | undefined;

  async function create(): Promise<Opened> {
    const nats = link.live()!;
    const manager = await nats.jetstreamManager();
    await ensureEventStream(manager, prefix);
    const batches = batchSupport(nats, manager, { stream: streamName(prefix), askAgainMs });
    return { nats, batches, manager, jetstream: nats.jetstream() };
  }

  return {
    name: streamName(prefix),
    async open() {
      const connection = link.number();
      if (connection === undefined) throw new Error("NATS is away");
      // NATS may have lost the stream while the connection was down.
      if (current?.connection !== connection) current = { connection, opened: create() };
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
