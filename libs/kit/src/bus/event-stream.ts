import { type JetStreamClient, type JetStreamManager, NatsError } from "nats";
import { ensureEventStream, streamName } from "./jetstream.js";
import type { NatsLink } from "./nats-link.js";

/** What the stream of events is used by. */
interface Opened {
  readonly jetstream: JetStreamClient;
  readonly manager: JetStreamManager;
}

/** The stream of events of an installation. It is made when it is missing, also when NATS has lost it. */
export interface EventStream {
  readonly name: string;
  /** Resolves when the stream is there; fails at once while NATS is away. */
  open(): Promise<Opened>;
  /** Has the stream made again where an error says that it is missing. Throws the error. */
  failed(error: unknown): never;
}

const notFound = 10059;
/** Nobody answers where a stream would. */
const isMissing = (error: unknown): boolean =>
  error instanceof NatsError && (error.api_error ? error.api_error.err_code === notFound : error.code === "503");

export function eventStream(link: NatsLink, prefix: string): EventStream {
  let made: { readonly connection: number; readonly opened: Promise<Opened> } | undefined;

  async function make(): Promise<Opened> {
    const nats = link.live()!;
    const manager = await nats.jetstreamManager();
    await ensureEventStream(manager, prefix);
    return { manager, jetstream: nats.jetstream() };
  }

  return {
    name: streamName(prefix),
    async open() {
      const connection = link.number();
      if (connection === undefined) throw new Error("NATS is away");
      // NATS may have lost the stream while the connection was down.
      if (made?.connection !== connection) made = { connection, opened: make() };
      const mine = made;
      try {
        return await mine.opened;
      } catch (error) {
        if (made === mine) made = undefined;
        throw error;
      }
    },
    failed(error) {
      if (isMissing(error)) made = undefined;
      throw error;
    },
  };
}
