import { Event } from "@ci/proto/events/v1/events";
import { connect } from "nats";
import type { Suite } from "./suite.js";

type Bus = Pick<Suite, "natsUrl" | "subjectPrefix">;

/** Keeps each event once. Two replicas may publish the same event, and NATS redelivers unconfirmed ones. */
export function distinctEvents(): { events: Event[]; collect: (event: Event) => void } {
  const events: Event[] = [];
  const ids = new Set<string>();
  const collect = (event: Event) => {
    if (ids.has(event.id)) return;
    ids.add(event.id);
    events.push(event);
  };
  return { events, collect };
}

/** Collects events from now on, each once, in order of publication. */
export async function collectEvents(suite: Bus): Promise<AsyncDisposable & { events: Event[] }> {
  const { events, collect } = distinctEvents();
  const nats = await connect({ servers: suite.natsUrl });
  nats.subscribe(`${suite.subjectPrefix}.events.>`, {
    callback: (_error, message) => collect(Event.fromJSON(message.json())),
  });
  await nats.flush();
  return { events, [Symbol.asyncDispose]: () => nats.close() };
}

/** Returns all stored events of one kind, each once, in order of publication. */
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
