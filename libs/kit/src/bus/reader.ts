import type { JsMsg } from "nats";
import type { Lease } from "../mongo/lease.js";
import type { Log } from "../process/log.js";
import { computedGauge, type Seen } from "../process/metrics.js";
import { ackWaitMs, consume } from "./consume.js";
import { type ReceivedEvent, readEvent, refuse, tracedHandling } from "./event-headers.js";
import type { EventStream } from "./event-stream.js";
import { ensureReader } from "./jetstream.js";

const showUnread = computedGauge({
  name: "ci_events_unread_seconds",
  help: "How long the oldest event that a reader has not confirmed has been waiting, 0 when none does",
  labelNames: ["reader"],
});

const patienceMs = 60_000;

/** A place in the stream, and what is done with the events from there on. */
export interface Reader {
  readonly name: string;
  readonly prefix: string;
  readonly kinds: readonly string[];
  /** Most events at a time. */
  readonly atATime: number;
  /** Most that are neither confirmed nor given back. */
  readonly inHand: number;
  readonly gatherMs: number;
  readonly alone?: Lease;
  /** Whether an event has all that the handler needs; what has not is refused. */
  isComplete(event: ReceivedEvent): boolean;
  handle(events: readonly ReceivedEvent[]): Promise<void>;
}

/** How long a reader has had something to read without getting on; known as far as somebody has looked. */
function unread(stream: EventStream, reader: string): () => Promise<Seen[]> {
  let at: { readonly floor: number; readonly sinceMs: number } | undefined;
  return async () => {
    const { manager } = await stream.open();
    const { num_pending, num_ack_pending, ack_floor } = await manager.consumers.info(stream.name, reader);
    const floor = ack_floor.stream_seq;
    if (num_pending + num_ack_pending === 0) at = undefined;
    else if (at?.floor !== floor) at = { floor, sinceMs: performance.now() };
    const value = at ? (performance.now() - at.sinceMs) / 1_000 : 0;
    return [{ value, labels: { reader } }];
  };
}

/**
 * Hands events over until the signal; resolves when the stream has the reader, or could not be asked for it yet. What is
 * no event is put aside: repeating it would stop all that come after it.
 */
export async function startReading(
  stream: EventStream,
  reader: Reader,
  on: { connection(): number | undefined; readonly signal: AbortSignal; readonly log: Log },
): Promise<{ done: Promise<void> }> {
  const { name, prefix, atATime, gatherMs, alone } = reader;

  async function open() {
    const { jetstream, manager } = await stream.open();
    try {
      await ensureReader(manager, prefix, { ...reader, ackWaitMs });
      return await jetstream.consumers.get(stream.name, name);
    } catch (error) {
      return stream.failed(error);
    }
  }

  function read(message: JsMsg): ReceivedEvent | undefined {
    const event = readEvent(message);
    if (event && reader.isComplete(event)) return event;
    refuse(message, on.log, message.seq);
    message.term();
    return undefined;
  }

  const handle = (events: readonly ReceivedEvent[]) => tracedHandling(name, events, reader.handle);
  await open().catch((error) => on.log.warn({ err: error, reader: name }, "the reader is made later"));
  const shown = showUnread(unread(stream, name));
  const reading = consume({ open, read, handle, atATime, gatherMs, alone, patienceMs, ...on });
  return { done: reading.finally(() => shown[Symbol.asyncDispose]()) };
}
