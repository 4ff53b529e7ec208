import { setTimeout as delay } from "node:timers/promises";
import type { ConsumerInfo, JsMsg } from "nats";
import type { Lease } from "../mongo/lease.js";
import type { Log } from "../process/log.js";
import { computedGauge, type Seen } from "../process/metrics.js";
import { consume } from "./consume.js";
import { type ReceivedEvent, readEvent, refuse, tracedHandling } from "./event-headers.js";
import type { EventStream } from "./event-stream.js";
import { ensureReader } from "./jetstream.js";

const showUnread = computedGauge({
  name: "ci_events_unread_seconds",
  help: "How long the oldest event that a reader has not confirmed has been waiting, 0 when none does",
  labelNames: ["reader"],
});

const patienceMs = 60_000;
const maxTries = 10;
const retryMs = 300;

export interface Reader {
  readonly name: string;
  readonly prefix: string;
  readonly kinds: readonly string[];
  readonly maxBatch: number;
  /** Limits the messages that are neither confirmed nor given back. */
  readonly maxUnconfirmed: number;
  readonly gatherMs?: number;
  readonly lease?: Lease;
  /** Reports whether an event has everything the handler needs; others are refused. */
  isComplete?(event: ReceivedEvent): boolean;
  handle(events: readonly ReceivedEvent[]): Promise<void>;
}

export interface Reading {
  connection(): number | undefined;
  readonly signal: AbortSignal;
  readonly log: Log;
}

async function readerState(stream: EventStream, reader: string): Promise<ConsumerInfo> {
  const { manager } = await stream.open();
  return manager.consumers.info(stream.name, reader).catch(stream.failed);
}

/** Whether a reader confirms, within a few seconds, all events that the stream has now. */
export async function readsAll(stream: EventStream, reader: string, signal: AbortSignal): Promise<boolean> {
  const { manager } = await stream.open();
  const { last_seq } = (await manager.streams.info(stream.name).catch(stream.failed)).state;
  for (let tries = 0; tries < maxTries && !signal.aborted; tries++) {
    const { num_pending, num_ack_pending, ack_floor } = await readerState(stream, reader);
    if (num_pending + num_ack_pending === 0 || ack_floor.stream_seq >= last_seq) return true;
    await delay(retryMs, undefined, { signal }).catch(() => undefined);
  }
  return false;
}

/** Measures how long a reader with unread events has made no progress, since this process first noticed. */
function unread(stream: EventStream, reader: string): () => Promise<Seen[]> {
  let at: { readonly floor: number; readonly sinceMs: number } | undefined;
  return async () => {
    const { num_pending, num_ack_pending, ack_floor } = await readerState(stream, reader);
    const floor = ack_floor.stream_seq;
    if (num_pending + num_ack_pending === 0) at = undefined;
    else if (at?.floor !== floor) at = { floor, sinceMs: performance.now() };
    const value = at ? (performance.now() - at.sinceMs) / 1_000 : 0;
    return [{ value, labels: { reader } }];
  };
}

/** Handles events until the signal. Refuses other messages for good: repeating one would block all after it. */
export async function startReading(
  stream: EventStream,
  reader: Reader,
  options: Reading,
): Promise<{ done: Promise<void> }> {
  const { name, prefix, maxBatch, gatherMs = 0, lease, isComplete = () => true } = reader;

  async function open() {
    const { jetstream, manager } = await stream.open();
    try {
      await ensureReader(manager, prefix, reader);
      return await jetstream.consumers.get(stream.name, name);
    } catch (error) {
      return stream.failed(error);
    }
  }

  function read(message: JsMsg): ReceivedEvent | undefined {
    const event = readEvent(message);
    if (event && isComplete(event)) return event;
    refuse(message, options.log, message.seq);
    message.term();
    return undefined;
  }

  const handle = (events: readonly ReceivedEvent[]) => tracedHandling(name, events, reader.handle);
  await open().catch((error) => options.log.warn({ err: error, reader: name }, "reader not created yet"));
  const gauge = showUnread(unread(stream, name));
  const consuming = consume({ open, read, handle, maxBatch, gatherMs, lease, patienceMs, ...options });
  return { done: consuming.finally(() => gauge[Symbol.asyncDispose]()) };
}
