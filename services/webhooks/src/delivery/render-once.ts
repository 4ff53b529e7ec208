import { fixedLimit } from "@ci/kit/process/fixed-limit";
import type { Event } from "@ci/proto/events/v1/events";

export type RenderPayloads = (events: readonly Event[]) => Promise<string[]>;

interface Kept {
  readonly payload: Promise<string>;
  /** 0 until it is rendered. */
  sizeBytes: number;
}

const maxKeptBytes = fixedLimit({
  max: 8 * 1024 ** 2,
  about: "payloads of events that wait for their second reader, in characters",
  effect: "the oldest are dropped",
});

/** Keeps each payload for the second of an event's two readers: deliveries and the event stream. */
export function renderOnce(render: RenderPayloads): RenderPayloads {
  const kept = new Map<string, Kept>();
  let keptBytes = 0;

  function take(id: string): Kept | undefined {
    const taken = kept.get(id);
    kept.delete(id);
    keptBytes -= taken?.sizeBytes ?? 0;
    return taken;
  }

  function keep(id: string, payload: Promise<string>): void {
    const entry: Kept = { payload, sizeBytes: 0 };
    kept.set(id, entry);
    payload
      .then((text) => {
        if (kept.get(id) !== entry) return;
        entry.sizeBytes = text.length;
        keptBytes += text.length;
        for (const oldest of kept.keys()) {
          if (keptBytes <= maxKeptBytes) break;
          take(oldest);
        }
      })
      .catch(() => {
        if (kept.get(id) === entry) take(id);
      });
  }

  function renderAll(events: readonly Event[]): Map<string, Promise<string>> {
    if (events.length === 0) return new Map();
    const rendered = render(events);
    return new Map(events.map(({ id }, index) => [id, rendered.then((payloads) => payloads[index]!)]));
  }

  return (events) => {
    const distinct = [...new Map(events.map((event) => [event.id, event])).values()];
    const payloads = new Map<string, Promise<string>>();
    for (const { id } of distinct) {
      const entry = take(id);
      if (entry) payloads.set(id, entry.payload);
    }
    for (const [id, payload] of renderAll(distinct.filter((event) => !payloads.has(event.id)))) {
      payloads.set(id, payload);
      keep(id, payload);
    }
    return Promise.all(events.map(({ id }) => payloads.get(id)!));
  };
}
