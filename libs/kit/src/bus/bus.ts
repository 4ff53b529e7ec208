import { Event } from "@ci/proto/events/v1/events";
import { AckPolicy, connect, DiscardPolicy, type JsMsg, type NatsConnection, nanos, RetentionPolicy } from "nats";
import { Counter } from "prom-client";
import type { OutboxEvent } from "../mongo/document.js";
import type { Lease } from "../mongo/lease.js";
import type { Log } from "../process/log.js";
import { metrics } from "../process/metrics.js";
import { ackWaitMs, consume } from "./consume.js";
import { headersOf, type ReceivedEvent, readEvent, tracedHandling, tracedSending } from "./event-headers.js";
import { ensureConsumer, ensureStream } from "./jetstream.js";
import { natsServers } from "./nats-servers.js";

/** News between processes. Nothing here is the truth: a loop finds again whatever a lost message would have told. */
export interface Bus extends AsyncDisposable {
  connected(): boolean;
  /** Resolves when the stream has stored the event; repeating it within two minutes stores it once. */
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
   * With `gatherMs` events wait so long for others: fewer calls where nobody is in a hurry.
   */
  subscribeMany(
    durable: string,
    kinds: readonly string[],
    how: { readonly lease: Lease; readonly gatherMs?: number },
    handler: (events: readonly ReceivedEvent[]) => Promise<void>,
  ): Promise<void>;
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
const patienceMs = 60_000;
const day = 24 * 60 * 60 * 1_000;

/**
 * Connects to NATS and makes sure of the stream `<PREFIX>_EVENTS` on `<prefix>.events.>`. `url` may name a
 * user and several servers: `nats://user:password@one:4222,two:4222`.
 */
export async function connectBus(url: string, prefix: string, service: string, log: Log): Promise<Bus> {
  const nats: NatsConnection = await connect({
    ...natsServers(url),
    name: service,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 500,
  });
  const jetstream = nats.jetstream();
  const manager = await nats.jetstreamManager();
  const stream = `${prefix.toUpperCase().replace(/[^A-Z0-9]/g, "_")}_EVENTS`;
  await ensureStream(manager, {
    name: stream,
    subjects: [`${prefix}.events.>`],
    retention: RetentionPolicy.Limits,
    discard: DiscardPolicy.Old,
    max_age: nanos(3 * day),
    max_bytes: 2 * 1024 ** 3,
    duplicate_window: nanos(120_000),
  });
  let connected = true;
  let connections = 1;
  void (async () => {
    for await (const { type } of nats.status()) {
      if (type === "disconnect") connected = false;
      if (type === "reconnect") {
        connections++;
        connected = true;
      }
    }
  })();
  const stopping = new AbortController();
  const consuming: Promise<void>[] = [];

  /** The event in a message; what nobody here wrote is put aside, for repeating it would stop all that come after it. */
  function read(message: JsMsg): ReceivedEvent | undefined {
    const event = readEvent(message);
    if (event) return event;
    log.error({ subject: message.subject, seq: message.seq }, "not an event, put aside");
    message.term();
    return undefined;
  }

  async function startConsuming(
    durable: string,
    kinds: readonly string[],
    many: { readonly atATime: number; readonly inHand: number; readonly gatherMs: number; readonly alone?: Lease },
    handler: (events: readonly ReceivedEvent[]) => Promise<void>,
  ): Promise<void> {
    await ensureConsumer(manager, stream, {
      durable_name: durable,
      filter_subjects: kinds.map((kind) => `${prefix}.events.${kind}`),
      ack_policy: AckPolicy.Explicit,
      ack_wait: nanos(ackWaitMs),
      max_ack_pending: many.inHand,
    });
    const consumer = await jetstream.consumers.get(stream, durable);
    const handle = async (events: readonly ReceivedEvent[]) => {
      await tracedHandling(durable, events, handler);
      for (const { kind } of events) counted.inc({ kind, way: "consumed" });
    };
    const { signal } = stopping;
    const connection = () => (isConnected() ? connections : undefined);
    consuming.push(consume({ consumer, read, handle, ...many, patienceMs, connection, signal, log }));
  }

  const isConnected = () => connected && !nats.isClosed();

  return {
    connected: isConnected,
    async publish(event) {
      const { id, kind } = event;
      await tracedSending(event, (sent) =>
        jetstream.publish(`${prefix}.events.${kind}`, sent.json, { msgID: id, headers: headersOf(sent, service) }),
      );
      counted.inc({ kind, way: "published" });
    },
    subscribe: (durable, kinds, handler) =>
      startConsuming(durable, kinds, { atATime: 1, inHand: 1, gatherMs: 0 }, ([event]) => handler(event!)),
    subscribeMany: (durable, kinds, { lease: alone, gatherMs = 0 }, handler) =>
      startConsuming(durable, kinds, { atATime, inHand: 2 * atATime, gatherMs, alone }, handler),
    listen(kind, hear) {
      nats.subscribe(`${prefix}.events.${kind}`, {
        callback: (error, message) => {
          if (!error) hear(Event.fromJSON(message.json()));
        },
      });
    },
    nudge: (topic, text = "") => nats.publish(`${prefix}.nudge.${topic}`, text),
    onNudge(topic, hear) {
      const start = `${prefix}.nudge.`.length;
      nats.subscribe(`${prefix}.nudge.${topic}`, {
        callback: (error, message) => {
          if (!error) hear(message.string(), message.subject.slice(start));
        },
      });
    },
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await Promise.allSettled(consuming);
      await nats.close();
    },
  };
}
