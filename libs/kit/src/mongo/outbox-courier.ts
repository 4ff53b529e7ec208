import type { Collection } from "mongodb";
import type { Bus } from "../bus/bus.js";
import { fixedLimit } from "../process/fixed-limit.js";
import type { Log } from "../process/log.js";
import { detached } from "../rpc/caller.js";
import type { OutboxEvent } from "./document.js";
import { type OutboxDoc, type Pending, pendingFields, publishBatch, readBatch } from "./outbox-batch.js";

const maxBatchDocuments = 200;
/** With more documents than this, all are left to the sweep. */
const maxNews = fixedLimit({
  max: 10_000,
  about: "records with waiting events that a process remembers",
  effect: "all are found by the next search for waiting events",
});
/** Events beyond this are not kept in memory while they wait, but read from their documents. */
const maxNewsLength = fixedLimit({
  max: 16 * 1024 ** 2,
  about: "waiting events that a process holds, in characters",
  effect: "further ones are read from MongoDB when they are published",
});

const lengthOf = (event: OutboxEvent | undefined): number => event?.json.length ?? 0;

/** The documents with news, in order. Without an event the document has to be read. */
function newsMap() {
  const news = new Map<unknown, OutboxEvent | undefined>();
  let length = 0;
  return {
    size: () => news.size,
    get: (id: unknown) => news.get(id),
    has: (id: unknown) => news.has(id),
    first: (count: number) => [...news].slice(0, count),
    set(id: unknown, only: OutboxEvent | undefined): void {
      length -= lengthOf(news.get(id));
      const kept = only && !only.shared && length + lengthOf(only) <= maxNewsLength ? only : undefined;
      length += lengthOf(kept);
      news.set(id, kept);
    },
    delete(id: unknown): void {
      length -= lengthOf(news.get(id));
      news.delete(id);
    },
    clear(): void {
      length = 0;
      news.clear();
    },
  };
}

function newsQueue(collection: Collection<OutboxDoc>) {
  const news = newsMap();
  /** There was too much news. To keep the order, only the sweep publishes until nothing is left. */
  let overflowed = false;

  function overflow(): void {
    overflowed = true;
    news.clear();
  }

  return {
    isEmpty: () => news.size() === 0,

    add(id: unknown, only?: OutboxEvent): void {
      if (news.size() >= maxNews) overflow();
      // A second event of a document means that the first is no longer its only one.
      if (!overflowed) news.set(id, news.has(id) ? undefined : only);
    },

    addAgain(ids: readonly unknown[]): void {
      for (const id of ids) news.set(id, undefined);
    },

    dropFound(docs: readonly Pending[]): void {
      for (const { _id, outbox } of docs) if (news.get(_id) && news.get(_id)?.id === outbox[0]?.id) news.delete(_id);
    },

    async nextBatch(): Promise<Pending[]> {
      const taken = news.first(maxBatchDocuments);
      for (const [id] of taken) news.delete(id);
      const unread = taken.filter(([, event]) => !event).map(([id]) => id as never);
      if (unread.length === 0) return taken.map(([id, event]) => ({ _id: id as never, outbox: [event!] }));
      const docs = await readBatch(collection.find({ _id: { $in: unread } }, pendingFields));
      const byId = new Map(docs.map((doc) => [doc._id as unknown, doc]));
      return taken.flatMap(([id, event]) => (event ? { _id: id as never, outbox: [event] } : (byId.get(id) ?? [])));
    },

    async oldest(except: readonly never[]): Promise<Pending[]> {
      const filter = { "outbox.at": { $exists: true }, ...(except.length > 0 ? { _id: { $nin: except } } : {}) };
      const cursor = collection
        .find(filter as never, pendingFields)
        .sort({ "outbox.at": 1 })
        .limit(maxBatchDocuments);
      const hadOverflowed = overflowed;
      // Events nudged from now on are either found here or newer than everything found.
      overflowed = false;
      let found: Pending[] | undefined;
      try {
        found = await readBatch(cursor);
        return found;
      } finally {
        if (hadOverflowed && found?.length !== 0) overflow();
      }
    },
  };
}

/** Relays the outbox of one collection. One batch at a time keeps the events of each document in order. */
export function courier(
  collection: Collection<OutboxDoc>,
  publish: Bus["publish"],
  options: { signal: AbortSignal; log: Log },
) {
  const news = newsQueue(collection);
  let running: Promise<unknown> = Promise.resolve();
  let draining = false;

  function oneAtATime<T>(work: () => Promise<T>): Promise<T> {
    const result = running.then(work);
    running = result.catch(() => undefined);
    return result;
  }

  async function drain(): Promise<void> {
    while (!news.isEmpty() && !options.signal.aborted) {
      const batch = async () => publishBatch(collection, await news.nextBatch(), publish, options.log);
      news.addAgain((await oneAtATime(batch)).unfinished);
    }
  }

  return {
    tell(id: unknown, only?: OutboxEvent): void {
      news.add(id, only);
      if (draining || news.isEmpty()) return;
      draining = true;
      setImmediate(() =>
        detached(drain)
          .catch((error) => options.log.warn({ err: error }, "events not published; the next sweep will retry them"))
          .finally(() => {
            draining = false;
          }),
      );
    },

    /** Publishes everything, oldest first. Failures are left for the next sweep. */
    async sweep(): Promise<void> {
      const left: never[] = [];
      for (let allFailed = false; !allFailed && !options.signal.aborted; ) {
        await oneAtATime(async () => {
          const docs = await news.oldest(left);
          news.dropFound(docs);
          const { failed } = await publishBatch(collection, docs, publish, options.log);
          left.push(...failed);
          allFailed = failed.length === docs.length;
        });
      }
    },

    settled: () => running,
  };
}
