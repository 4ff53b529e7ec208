import type { Collection, Document } from "mongodb";
import type { Outbox } from "./document.js";
import type { Bus } from "./events.js";
import type { Log } from "./log.js";
import { loop } from "./loop.js";

/** The index that finds documents with waiting events; every collection with an outbox needs it. */
export const outboxIndex = { key: { "outbox.id": 1 }, name: "outbox", sparse: true } as const;

/** Publishes all that waits in one document, oldest first, and removes each event once the stream has it. */
async function relayOne(collection: Collection<Document>, id: unknown, publish: Bus["publish"]): Promise<number> {
  for (let sent = 0; ; sent++) {
    const doc = await collection.findOne({ _id: id as never }, { projection: { outbox: { $slice: 1 }, deletedAt: 1 } });
    const head = (doc as Outbox | null)?.outbox?.[0];
    if (!head) {
      if (doc?.deletedAt) await collection.deleteOne({ _id: id as never, outbox: { $size: 0 } });
      return sent;
    }
    await publish(head);
    // Another replica may have removed it already: then this matches nothing.
    await collection.updateOne({ _id: id as never, "outbox.0.id": head.id }, { $pop: { outbox: -1 } });
  }
}

/** Carries waiting events to the stream: a document at once when told of it, all others within a second. */
export function relay(
  collections: Collection<never>[],
  bus: Pick<Bus, "publish">,
  on: { signal: AbortSignal; log: Log },
): { nudge(collection: Collection<never>, id: unknown): void; done: Promise<unknown> } {
  const running = new Map<string, Promise<unknown>>();

  /** One pass at a time per document keeps its events in order. */
  function single(collection: Collection<Document>, id: unknown): Promise<unknown> {
    const key = `${collection.collectionName}/${id}`;
    const before = running.get(key) ?? Promise.resolve();
    const mine: Promise<unknown> = before
      .then(() => (on.signal.aborted ? 0 : relayOne(collection, id, bus.publish)))
      .finally(() => {
        if (running.get(key) === mine) running.delete(key);
      });
    running.set(key, mine);
    return mine;
  }

  async function sweep(): Promise<void> {
    for (const collection of collections as unknown as Collection<Document>[]) {
      const found = await collection
        .find({ "outbox.id": { $gt: "" } }, { projection: { _id: 1 } })
        .limit(100)
        .toArray();
      for (const { _id } of found) await single(collection, _id);
    }
  }

  const sweeping = loop("relay-events", 1_000, sweep, on);
  return {
    nudge(collection, id) {
      single(collection as unknown as Collection<Document>, id).catch((error) =>
        on.log.warn({ err: error }, "event not published yet, the sweep will"),
      );
    },
    done: sweeping.done.then(() => Promise.allSettled(running.values())),
  };
}
