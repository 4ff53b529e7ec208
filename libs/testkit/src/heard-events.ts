import { Event } from "@ci/proto/events/v1/events";
import { connect } from "nats";
import type { Suite } from "./suite.js";

/** The events of a suite's services from now on, in the order in which they were published. */
export async function hearEvents(
  suite: Pick<Suite, "natsUrl" | "subjectPrefix">,
): Promise<AsyncDisposable & { events: Event[] }> {
  const events: Event[] = [];
  const nats = await connect({ servers: suite.natsUrl });
  nats.subscribe(`${suite.subjectPrefix}.events.>`, {
    callback: (_error, message) => events.push(Event.fromJSON(message.json())),
  });
  await nats.flush();
  return { events, [Symbol.asyncDispose]: () => nats.close() };
}
