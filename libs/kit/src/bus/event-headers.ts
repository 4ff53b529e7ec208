import { Event } from "@ci/proto/events/v1/events";
import { headers, type Msg, type MsgHdrs } from "nats";
import { Counter } from "prom-client";
import type { OutboxEvent } from "../mongo/document.js";
import type { Log } from "../process/log.js";
import { metrics } from "../process/metrics.js";
import { span, traced } from "../process/trace.js";
import { type Trail, withTrail } from "../rpc/caller.js";
import { asFault } from "../rpc/fault.js";

export type ReceivedEvent = Event & { readonly trail?: Trail };

const attributesOf = (kind: string, id: string) => ({
  "messaging.system": "nats",
  "ci.event": kind,
  "ci.event_id": id,
});

export function headersOf({ id, kind, at, trail = {} }: OutboxEvent, service: string): MsgHdrs {
  const all = headers();
  all.set("ce-specversion", "1.0");
  all.set("ce-id", id);
  all.set("ce-type", `ci.${kind}`);
  all.set("ce-source", `/${service}`);
  all.set("ce-time", at.toISOString());
  all.set("ce-datacontenttype", "application/json");
  if (trail.requestId) all.set("x-request-id", trail.requestId);
  if (trail.traceparent) all.set("traceparent", trail.traceparent);
  return all;
}

/** Reports whether all numbers and times are valid: `fromJSON` reads malformed ones as NaN, which no database takes. */
function isSound(value: unknown): boolean {
  if (typeof value === "number") return !Number.isNaN(value);
  if (value instanceof Date) return !Number.isNaN(value.getTime());
  return typeof value !== "object" || value === null || Object.values(value).every(isSound);
}

export function readEvent(message: Pick<Msg, "subject" | "json" | "headers">): ReceivedEvent | undefined {
  try {
    const event = Event.fromJSON(message.json());
    if (!event.id || !event.kind || !message.subject.endsWith(`.events.${event.kind}`)) return undefined;
    if (!isSound(event)) return undefined;
    const header = (name: string) => message.headers?.get(name) || undefined;
    return { ...event, trail: { requestId: header("x-request-id"), traceparent: header("traceparent") } };
  } catch {
    return undefined;
  }
}

const refused = new Counter({
  name: "ci_events_refused_total",
  help: "Messages on the subjects of events that cannot be read as events",
  registers: [metrics],
});

export function refuse({ subject }: Pick<Msg, "subject">, log: Log, seq?: number): void {
  refused.inc();
  log.error({ subject, seq }, "refused a message that is not an event");
}

export async function tracedSending(event: OutboxEvent, send: (event: OutboxEvent) => Promise<unknown>): Promise<void> {
  const { kind, id, trail } = event;
  const from = trail?.traceparent;
  await traced(`send ${kind}`, { kind: "producer", from, attributes: attributesOf(kind, id) }, (span) =>
    send({ ...event, trail: { ...trail, traceparent: span.traceparent ?? from } }),
  );
}

/** Handles events, each in a span of its own trace. Several events have no request in common. */
export async function tracedHandling(
  durable: string,
  events: readonly ReceivedEvent[],
  handle: (events: readonly ReceivedEvent[]) => Promise<void>,
): Promise<void> {
  const spans = events.map(({ kind, id, trail }) =>
    span(`${durable} ${kind}`, { kind: "consumer", from: trail?.traceparent, attributes: attributesOf(kind, id) }),
  );
  const continued = events.map((event, nth) => {
    const { traceparent = event.trail?.traceparent } = spans[nth]!;
    return { ...event, trail: { ...event.trail, traceparent } };
  });
  const work = () => handle(continued);
  try {
    await (continued.length === 1 ? withTrail(continued[0]!.trail, () => spans[0]!.run(work)) : work());
  } catch (error) {
    for (const span of spans) span.fail(asFault(error).code);
    throw error;
  } finally {
    for (const span of spans) span.end();
  }
}
