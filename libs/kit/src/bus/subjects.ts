import type { Event } from "@ci/proto/events/v1/events";
import type { Msg } from "nats";
import type { Log } from "../process/log.js";
import { readEvent, refuse } from "./event-headers.js";
import type { NatsLink } from "./nats-link.js";

export function subjects(link: NatsLink, prefix: string, log: Log) {
  /** Catches every error: after one in a callback the client reads nothing more from its connection. */
  function subscribe(subject: string, receive: (message: Msg) => void): void {
    const callback = (error: Error | null, message: Msg) => {
      try {
        if (error) throw error;
        receive(message);
      } catch (thrown) {
        log.error({ err: thrown, subject }, "message not handled");
      }
    };
    link.withEach((nats) => void nats.subscribe(subject, { callback }));
  }

  return {
    listen: (kind: string, listener: (event: Event) => void) =>
      subscribe(`${prefix}.events.${kind}`, (message) => {
        const event = readEvent(message);
        if (event) listener(event);
        else refuse(message, log);
      }),
    nudge: (topic: string, text = "") => link.live()?.publish(`${prefix}.nudge.${topic}`, text),
    onNudge(topic: string, listener: (text: string, topic: string) => void) {
      const start = `${prefix}.nudge.`.length;
      subscribe(`${prefix}.nudge.${topic}`, (message) => listener(message.string(), message.subject.slice(start)));
    },
  };
}
