import type { Event } from "@ci/proto/events/v1/events";
import { Counter } from "prom-client";
import type { OutboxEvent } from "../mongo/document.js";
import type { Lease } from "../mongo/lease.js";
import type { Log } from "../process/log.js";
import { metrics } from "../process/metrics.js";
import { type ReceivedEvent, tracedSending } from "./event-headers.js";
import { type EventStream, eventStream } from "./event-stream.js";
import { ensureReader } from "./jetstream.js";
import { onConnected, openNatsLink } from "./nats-link.js";
import { publisher } from "./publisher.js";
import { type Reader, type Reading, readsAll, startReading } from "./reader.js";
import { readers, usesStream } from "./rights.js";
import { subjects } from "./subjects.js";
import { trimStream } from "./trim-stream.js";

/** Messages are only hints: loops find whatever is lost. NATS may be away at any time, also at the start. */
export interface Bus extends AsyncDisposable {
  connected(): boolean;
  onConnected(listener: () => void): void;
  /** Resolves when the stream has stored the event; a repeat within two minutes is dropped. Fails while NATS is away. */
  publish(event: OutboxEvent): Promise<void>;
  /** Handles events in order, each at least once. Replicas share the place in the stream named `durable`. */
  subscribe(durable: string, kinds: readonly string[], handler: (event: ReceivedEvent) => Promise<void>): Promise<void>;
  /** The same in batches, and only in the process with the lease. An event that fails for a minute is set aside. */
  subscribeMany(
    durable: string,
    kinds: readonly string[],
    how: { readonly lease: Lease; readonly gatherMs?: number; isComplete?(event: Event): boolean },
    handler: (events: readonly ReceivedEvent[]) => Promise<void>,
  ): Promise<void>;
  /** Whether a reader confirms, within a few seconds, all events that the stream has now. */
  readsAll(durable: string): Promise<boolean>;
  /** Creates the readers of all services, which may not do so themselves. Throws if any fails, after all others. */
  ensureReaders(): Promise<void>;
  /** Removes events older than `keepMs`, and newer ones when the stream gets full, but no unconfirmed ones. */
  trim(keepMs: number): Promise<void>;
  /** Passes on events of one kind while connected, to every process. For caches: events during an outage are missed. */
  listen(kind: string, listener: (event: Event) => void): void;
  /** Sends a message that may be lost: the receiver would soon look anyway. */
  nudge(topic: string, text?: string): void;
  onNudge(topic: string, listener: (text: string, topic: string) => void): void;
}

const counted = new Counter({
  name: "ci_events_total",
  help: "Events published and consumed",
  labelNames: ["kind", "way"],
  registers: [metrics],
});

const maxBatch = 200;
const maxUnconfirmed = (batched: boolean) => (batched ? 2 * maxBatch : 1);

function reading(stream: EventStream, prefix: string, options: Reading) {
  const running: Promise<void>[] = [];

  async function read(reader: Omit<Reader, "prefix">): Promise<void> {
    const handle: Reader["handle"] = async (events) => {
      await reader.handle(events);
      for (const { kind } of events) counted.inc({ kind, way: "consumed" });
    };
    const { done } = await startReading(stream, { ...reader, prefix, handle }, options);
    running.push(done);
  }

  const subscribe: Bus["subscribe"] = (name, kinds, handler) =>
    read({ name, kinds, handle: ([event]) => handler(event!), maxBatch: 1, maxUnconfirmed: maxUnconfirmed(false) });
  const subscribeMany: Bus["subscribeMany"] = (name, kinds, how, handle) =>
    read({ name, kinds, handle, ...how, maxBatch, maxUnconfirmed: maxUnconfirmed(true) });
  return { subscribe, subscribeMany, ended: () => Promise.allSettled(running) };
}

/** Connects to NATS; `url` may name a user and several servers: `nats://user:password@one:4222,two:4222`. */
export async function connectBus(url: string, prefix: string, service: string, log: Log): Promise<Bus> {
  const link = await openNatsLink(url, service, log);
  const stream = eventStream(link, prefix);
  const stopping = new AbortController();
  const options = { connection: link.number, signal: stopping.signal, log };
  if (link.live() && usesStream(service))
    await stream.open().catch((error) => log.warn({ err: error }, "event stream not created yet"));
  const publish = publisher(stream, prefix, service);
  const { ended, ...subscriptions } = reading(stream, prefix, options);

  return {
    connected: () => link.live() !== undefined,
    onConnected: (listener) => onConnected(link, listener),
    async publish(event) {
      await tracedSending(event, publish);
      counted.inc({ kind: event.kind, way: "published" });
    },
    ...subscriptions,
    readsAll: async (durable) => link.live() !== undefined && readsAll(stream, durable, stopping.signal),
    async ensureReaders() {
      if (!link.live()) return;
      const { manager } = await stream.open();
      let failed: { error: unknown } | undefined;
      for (const [name, { kinds, batched }] of Object.entries(readers)) {
        const reader = { name, kinds, maxUnconfirmed: maxUnconfirmed(batched) };
        await ensureReader(manager, prefix, reader)
          .catch(stream.failed)
          .catch((error) => (failed = { error }));
      }
      if (failed) throw failed.error;
    },
    async trim(keepMs) {
      if (!link.live()) return;
      const { manager } = await stream.open();
      await trimStream(manager, stream.name, keepMs).catch(stream.failed);
    },
    ...subjects(link, prefix, log),
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await ended();
      await link[Symbol.asyncDispose]();
    },
  };
}
