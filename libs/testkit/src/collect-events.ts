import { Event } from "@ci/proto/events/v1/events";
import { connect } from "nats";
import type { Suite } from "./suite.js";

/** Names of a suite's stream and subjects. */
type Bus = Pick<Suite, "natsUrl" | "subjectPrefix">;

/**
 * Keeps each event once, however often it comes: two replicas may publish the same one, and whatever is not confirmed
 * in time comes again.
 */
export function distinctEvents(): { events: Event[]; hear: (event: Event) => void } {
  const events: Event[] = [];
  const known = new Set<string>();
  const hear = (event: Event) => {
    if (known.has(event.id)) return;
    known.add(event.id);
    events.push(event);
  };
  return { events, hear };
}

/** The events of a suite's services from now on, each once, in the order in which they were published. */
export async function collectEvents(suite: Bus): Promise<AsyncDisposable & { events: Event[] }> {
  const { events, hear } = distinctEvents();
  const nats = await connect({ servers: suite.natsUrl });
  nats.subscribe(`${suite.subjectPrefix}.events.>`, {
    callback: (_error, message) => hear(Event.fromJSON(message.json())),
  });
  await nats.flush();
  return { events, [Symbol.asyncDispose]: () => nats.close() };
}

/** All events of one kind that the stream of a suite has, each once, in the order in which they were published. */
export async function storedEvents({ natsUrl, subjectPrefix }: Bus, kind: string): Promise<Event[]> {
  const nats = await connect({ servers: natsUrl });
  try {
    const stream = `${subjectPrefix.toUpperCase()}_EVENTS`;
    const consumer = await nats
      .jetstream()
      .consumers.get(stream, { filterSubjects: `${subjectPrefix}.events.${kind}` });
    const events = new Map<string, Event>();
    let left = (await consumer.info()).num_pending;
    if (left === 0) return [];
    for await (const message of await consumer.consume()) {
      const event = Event.fromJSON(message.json());
      if (!events.has(event.id)) events.set(event.id, event);
      if (--left === 0) break;
    }
    return [...events.values()];
  } finally {
    await nats.close();
  }
}
