import type { Event } from "@ci/proto/events/v1/events";
import type { Msg } from "nats";
import { Counter } from "prom-client";
import type { OutboxEvent } from "../mongo/document.js";
import type { Lease } from "../mongo/lease.js";
import type { Log } from "../process/log.js";
import { metrics } from "../process/metrics.js";
import { headersOf, type ReceivedEvent, readEvent, refuse, tracedSending } from "./event-headers.js";
import { eventStream } from "./event-stream.js";
import { openNatsLink } from "./nats-link.js";
import { type Reader, startReading } from "./reader.js";
import { trimStream } from "./trim-stream.js";

/**
 * News between processes. Nothing here is the truth: a loop finds again whatever a lost message would have told. NATS
 * may be away at any time, also at the start; what it has lost is made again.
 */
export interface Bus extends AsyncDisposable {
  connected(): boolean;
  /**
   * Resolves when the stream has stored the event; repeating it within two minutes stores it once. Fails at once while
   * NATS is away.
   */
  publish(event: OutboxEvent): Promise<void>;
  /**
   * Hands events to `handler` one after another, in order, at least once each; what fails is tried again
   * before the next is touched. `durable` names the place in the stream and is shared by replicas; `kinds` says
   * which events are wanted.
   */
  subscribe(durable: string, kinds: readonly string[], handler: (event: ReceivedEvent) => Promise<void>): Promise<void>;
  /**
   * The same, up to 200 events at a time, for a handler that bears being repeated for some of them. The process that
   * has the lease gets them all. An event that fails for a minute while others do not comes again later, after those.
   * With `gatherMs` events wait so long for others: fewer calls where nobody is in a hurry. An event that is not
   * complete is refused, as what cannot be read.
   */
  subscribeMany(
    durable: string,
    kinds: readonly string[],
    how: { readonly lease: Lease; readonly gatherMs?: number; isComplete?(event: Event): boolean },
    handler: (events: readonly ReceivedEvent[]) => Promise<void>,
  ): Promise<void>;
  /**
   * Removes events older than `keepMs` from the stream, and when it gets full also newer ones; never one that a
   * subscriber has still to confirm. Does nothing while NATS is away.
   */
  trim(keepMs: number): Promise<void>;
  /**
   * Hears of events of one kind while connected, in this process alone and without a place in the stream: for those
   * who keep copies that an event makes worthless. What happens while the connection is down is never heard of.
   */
  listen(kind: string, hear: (event: Event) => void): void;
  /** A message that may be lost: wakes somebody who would look a little later anyway. */
  nudge(topic: string, text?: string): void;
  onNudge(topic: string, hear: (text: string, topic: string) => void): void;
}

const counted = new Counter({
  name: "ci_events_total",
  help: "Events published and consumed",
  labelNames: ["kind", "way"],
  registers: [metrics],
});

const atATime = 200;

/** Connects to NATS; `url` may name a user and several servers: `nats://user:password@one:4222,two:4222`. */
export async function connectBus(url: string, prefix: string, service: string, log: Log): Promise<Bus> {
  const link = await openNatsLink(url, service, log);
  const stream = eventStream(link, prefix);
  const stopping = new AbortController();
  const on = { connection: link.number, signal: stopping.signal, log };
  const reading: Promise<void>[] = [];
  if (link.live()) await stream.open().catch((error) => log.warn({ err: error }, "the stream is made later"));

  async function read(reader: Pick<Reader, "name" | "kinds" | "handle"> & Partial<Reader>): Promise<void> {
    const { done } = await startReading(
      stream,
      {
        prefix,
        atATime: 1,
        inHand: 1,
        gatherMs: 0,
        isComplete: () => true,
        ...reader,
        async handle(events) {
          await reader.handle(events);
          for (const { kind } of events) counted.inc({ kind, way: "consumed" });
        },
      },
      on,
    );
    reading.push(done);
  }

  /** Keeps every error from the client: it would read nothing more from its connection. */
  function hearSubject(subject: string, hear: (message: Msg) => void): void {
    const callback = (error: Error | null, message: Msg) => {
      try {
        if (error) throw error;
        hear(message);
      } catch (thrown) {
        log.error({ err: thrown, subject }, "message not heard");
      }
    };
    link.withEach((nats) => void nats.subscribe(subject, { callback }));
  }

  return {
    connected: () => link.live() !== undefined,
    async publish(event) {
      const { id, kind } = event;
      const { jetstream } = await stream.open();
      await tracedSending(event, (sent) =>
        jetstream
          .publish(`${prefix}.events.${kind}`, sent.json, { msgID: id, headers: headersOf(sent, service) })
          .catch(stream.failed),
      );
      counted.inc({ kind, way: "published" });
    },
    subscribe: (name, kinds, handler) => read({ name, kinds, handle: ([event]) => handler(event!) }),
    subscribeMany: (name, kinds, { lease: alone, ...how }, handle) =>
      read({ name, kinds, handle, alone, ...how, atATime, inHand: 2 * atATime }),
    async trim(keepMs) {
      if (!link.live()) return;
      const { manager } = await stream.open();
      await trimStream(manager, stream.name, keepMs).catch(stream.failed);
    },
    listen: (kind, hear) =>
      hearSubject(`${prefix}.events.${kind}`, (message) => {
        const event = readEvent(message);
        if (event) hear(event);
        else refuse(message, log);
      }),
    nudge: (topic, text = "") => link.live()?.publish(`${prefix}.nudge.${topic}`, text),
    onNudge(topic, hear) {
      const start = `${prefix}.nudge.`.length;
      hearSubject(`${prefix}.nudge.${topic}`, (message) => hear(message.string(), message.subject.slice(start)));
    },
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await Promise.allSettled(reading);
      await link[Symbol.asyncDispose]();
    },
  };
}
