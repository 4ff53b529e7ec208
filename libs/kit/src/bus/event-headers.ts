import { Event } from "@ci/proto/events/v1/events";
import { headers, type Msg, type MsgHdrs } from "nats";
import { Counter } from "prom-client";
import type { OutboxEvent } from "../mongo/document.js";
import type { Log } from "../process/log.js";
import { metrics } from "../process/metrics.js";
import { span, traced } from "../process/trace.js";
import { type Trail, withTrail } from "../rpc/caller.js";
import { asFault } from "../rpc/fault.js";

/** An event that came from the stream, and the request it is a consequence of. */
export type ReceivedEvent = Event & { readonly trail?: Trail };

const attributesOf = (kind: string, id: string) => ({
  "messaging.system": "nats",
  "ci.event": kind,
  "ci.event_id": id,
});

/** What stands beside an event on the stream: attributes of CloudEvents, and where it came from. */
export function headersOf({ id, kind, at, trail = {} }: OutboxEvent, service: string): MsgHdrs {
  const beside = headers();
  beside.set("ce-specversion", "1.0");
  beside.set("ce-id", id);
  beside.set("ce-type", `ci.${kind}`);
  beside.set("ce-source", `/${service}`);
  beside.set("ce-time", at.toISOString());
  beside.set("ce-datacontenttype", "application/json");
  if (trail.requestId) beside.set("x-request-id", trail.requestId);
  if (trail.traceparent) beside.set("traceparent", trail.traceparent);
  return beside;
}

/** Whether all numbers and times are some: what fits no field is read as none, and no database takes it. */
function isSound(value: unknown): boolean {
  if (typeof value === "number") return !Number.isNaN(value);
  if (value instanceof Date) return !Number.isNaN(value.getTime());
  return typeof value !== "object" || value === null || Object.values(value).every(isSound);
}

/** The event in a message, if it is one of the kind that its subject names. */
export function readEvent(message: Pick<Msg, "subject" | "json" | "headers">): ReceivedEvent | undefined {
  try {
    const event = Event.fromJSON(message.json());
    if (!event.id || !event.kind || !message.subject.endsWith(`.events.${event.kind}`)) return undefined;
    if (!isSound(event)) return undefined;
    const beside = (name: string) => message.headers?.get(name) || undefined;
    return { ...event, trail: { requestId: beside("x-request-id"), traceparent: beside("traceparent") } };
  } catch {
    return undefined;
  }
}

const refused = new Counter({
  name: "ci_events_refused_total",
  help: "Messages that are on the subjects of events and are none that can be read",
  registers: [metrics],
});

/** Counts a message that is no event, and says where in the stream it is left. */
export function refuse({ subject }: Pick<Msg, "subject">, log: Log, seq?: number): void {
  refused.inc();
  log.error({ subject, seq }, "not an event, put aside");
}

/** Sends an event as a stretch of the trace that it belongs to. */
export async function tracedSending(event: OutboxEvent, send: (event: OutboxEvent) => Promise<unknown>): Promise<void> {
  const { kind, id, trail } = event;
  const from = trail?.traceparent;
  await traced(`send ${kind}`, { kind: "producer", from, attributes: attributesOf(kind, id) }, (one) =>
    send({ ...event, trail: { ...trail, traceparent: one.traceparent ?? from } }),
  );
}

/**
 * Hands events over, each as a stretch of its own trace, which their trails lead to from then on. The work belongs to
 * the request of a single event; several have none in common.
 */
export async function tracedHandling(
  durable: string,
  events: readonly ReceivedEvent[],
  handle: (events: readonly ReceivedEvent[]) => Promise<void>,
): Promise<void> {
  const spans = events.map(({ kind, id, trail }) =>
    span(`${durable} ${kind}`, { kind: "consumer", from: trail?.traceparent, attributes: attributesOf(kind, id) }),
  );
  const heard = events.map((event, nth) => {
    const { traceparent = event.trail?.traceparent } = spans[nth]!;
    return { ...event, trail: { ...event.trail, traceparent } };
  });
  const work = () => handle(heard);
  try {
    await (heard.length === 1 ? withTrail(heard[0]!.trail, () => spans[0]!.run(work)) : work());
  } catch (error) {
    for (const one of spans) one.fail(asFault(error).code);
    throw error;
  } finally {
    for (const one of spans) one.end();
  }
}
