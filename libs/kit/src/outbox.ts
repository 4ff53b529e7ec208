import type { Collection, Document } from "mongodb";
import type { Outbox, Waiting } from "./document.js";
import type { Bus } from "./events.js";
import type { Log } from "./log.js";
import { loop } from "./loop.js";

/** The index that finds documents with waiting events; every collection with an outbox needs it. */
export const outboxIndex = { key: { "outbox.id": 1 }, name: "outbox", sparse: true } as const;

/** The oldest event of a document is enough to read. */
const head = { projection: { outbox: { $slice: 1 }, deletedAt: 1 } } as const;

/**
 * Publishes all that waits in one document, oldest first, and removes each event once the stream has it.
 * `first` is the oldest one, if that is known: then it need not be read.
 */
async function relayOne(
  collection: Collection<Outbox & Document>,
  _id: never,
  publish: Bus["publish"],
  first?: Waiting,
): Promise<void> {
  let doc: Partial<Outbox> | null = first ? { outbox: [first] } : await collection.findOne({ _id }, head);
  for (let event = doc?.outbox?.[0]; event; event = doc?.outbox?.[0]) {
    await publish(event);
    // Another replica may have removed it already: then this matches nothing, and what is left is read again.
    // It need not reach the disk before we go on: an event that comes back is published again, and known by its id.
    const took = await collection.findOneAndUpdate(
      { _id, "outbox.0.id": event.id },
      { $pop: { outbox: -1 } },
      { ...head, returnDocument: "after", writeConcern: { w: 1, journal: false } },
    );
    doc = took ?? (await collection.findOne({ _id }, head));
  }
  if (doc?.deletedAt) await collection.deleteOne({ _id, outbox: { $size: 0 } } as never);
}

/** Tells the relay that a document has events; with the event itself when it is known that no other waits there. */
export type Nudge = (collection: Collection<never>, id: unknown, only?: Waiting) => void;

/** Carries waiting events to the stream: a document at once when told of it, all others within a second. */
export function relay(
  collections: Collection<never>[],
  bus: Pick<Bus, "publish">,
  on: { signal: AbortSignal; log: Log },
): { nudge: Nudge; done: Promise<unknown> } {
  const running = new Map<string, Promise<unknown>>();

  /** One pass at a time per document keeps its events in order. */
  function single(collection: Collection<Document>, id: unknown, only?: Waiting): Promise<unknown> {
    const key = `${collection.collectionName}/${id}`;
    const before = running.get(key) ?? Promise.resolve();
    const mine: Promise<unknown> = before
      .then(() => (on.signal.aborted ? undefined : relayOne(collection as never, id as never, bus.publish, only)))
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
    nudge(collection, id, only) {
      single(collection as unknown as Collection<Document>, id, only).catch((error) =>
        on.log.warn({ err: error }, "event not published yet, the sweep will"),
      );
    },
    done: sweeping.done.then(() => Promise.allSettled(running.values())),
  };
}
