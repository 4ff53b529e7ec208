import type { WatchEventsResponse } from "@ci/proto/webhooks/v1/webhooks";
import { eventually } from "@ci/testkit/eventually";

/** Reads a stream of events until it is disposed. `run` is called with the user of the stream. */
export function watching(
  open: (signal: AbortSignal) => AsyncIterable<WatchEventsResponse>,
  run: (read: () => Promise<void>) => Promise<void>,
) {
  const leaving = new AbortController();
  const messages: WatchEventsResponse[] = [];
  const ended = run(async () => {
    for await (const message of open(leaving.signal)) messages.push(message);
  });
  ended.catch(() => undefined);
  const events = () => messages.flatMap(({ position, event }) => (event ? [{ position, ...event }] : []));
  return {
    events,
    ended,
    start: () => eventually(() => expect(messages.length).toBeGreaterThan(0)),
    startPosition: () => messages[0]!.position,
    waitFor: (count: number) =>
      eventually(() => {
        expect(events()).toHaveLength(count);
        return events();
      }),
    [Symbol.dispose]: () => leaving.abort(),
  };
}

export const kindsOf = (events: readonly { kind: string }[]) => events.map(({ kind }) => kind);
