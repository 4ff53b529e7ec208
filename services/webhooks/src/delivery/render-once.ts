import { fixedLimit } from "@ci/kit/process/fixed-limit";
import type { Event } from "@ci/proto/events/v1/events";
import { keptByLength } from "./kept-by-length.js";

export type RenderPayloads = (events: readonly Event[]) => Promise<string[]>;

const maxKept = fixedLimit({
  max: 8 * 1024 ** 2,
  about: "payloads of events that wait for their second reader, in characters",
  effect: "the oldest are dropped",
});

/** Keeps each payload for the second of an event's two readers: deliveries and the event stream. */
export function renderOnce(render: RenderPayloads): RenderPayloads {
  const kept = keptByLength<string>(maxKept);

  function renderAll(events: readonly Event[]): Map<string, Promise<string>> {
    if (events.length === 0) return new Map();
    const rendered = render(events);
    return new Map(events.map(({ id }, index) => [id, rendered.then((payloads) => payloads[index]!)]));
  }

  return (events) => {
    const distinct = [...new Map(events.map((event) => [event.id, event])).values()];
    const payloads = new Map<string, Promise<string>>();
    for (const { id } of distinct) {
      const payload = kept.take(id);
      if (payload) payloads.set(id, payload);
    }
    for (const [id, payload] of renderAll(distinct.filter((event) => !payloads.has(event.id)))) {
      payloads.set(id, payload);
      kept.keep(id, payload);
    }
    return Promise.all(events.map(({ id }) => payloads.get(id)!));
  };
}
