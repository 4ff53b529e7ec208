import type { Collection } from "mongodb";
import type { Bus } from "../bus/bus.js";
import type { Log } from "../process/log.js";
import { detached } from "../rpc/caller.js";
import {
  maxEventsPerDocument,
  type OutboxDoc,
  type Pending,
  type Publishing,
  pendingOptions,
  publishBatch,
  readBatch,
} from "./outbox-batch.js";
import { type News, newsMap, publishedIds } from "./outbox-news.js";
import { removalsFrom } from "./outbox-removals.js";

const maxBatchDocuments = 200;
/** The news of an event arrives sooner than this, or never. */
const lateMs = 10_000;

interface Waiting {
  readonly _id: never;
  readonly outbox: readonly { readonly id: string }[];
  readonly isLate: boolean;
}

const isLate = { $lt: [{ $first: "$outbox.at" }, { $subtract: ["$$NOW", lateMs] }] };

/** Finds the documents whose events nobody publishes: their process died, or had too many. */
function oldestFinder(collection: Collection<OutboxDoc>) {
  let seen = new Set<string>();
  let seenNow = new Set<string>();
  let isFirstPass = true;

  return {
    /** Returns the oldest documents. Unless `all` is true, those whose first event is late or was there in the last pass. */
    async find(except: readonly never[], all: boolean): Promise<Pending[]> {
      const filter = { "outbox.at": { $exists: true }, ...(except.length > 0 ? { _id: { $nin: except } } : {}) };
      const cursor = collection
        .find(filter as never, { projection: { "outbox.id": 1, isLate } })
        .sort({ "outbox.at": 1 })
        .limit(maxBatchDocuments);
      const waiting = (await cursor.toArray()) as unknown as Waiting[];
      for (const { outbox } of waiting) seenNow.add(outbox[0]!.id);
      const left = waiting.filter((doc) => all || isFirstPass || doc.isLate || seen.has(doc.outbox[0]!.id));
      if (left.length === 0) return [];
      const ids = left.map(({ _id }) => _id);
      const found = await readBatch(collection.find({ _id: { $in: ids } }, pendingOptions).sort({ "outbox.at": 1 }));
      return found.filter(({ outbox }) => outbox.length > 0);
    },

    endPass(): void {
      [seen, seenNow] = [seenNow, new Set()];
      isFirstPass = false;
    },
  };
}

function newsQueue(collection: Collection<OutboxDoc>) {
  const published = publishedIds();
  const news = newsMap(published, maxEventsPerDocument);
  const removals = removalsFrom(collection);
  const oldest = oldestFinder(collection);
  /** There was too much news. To keep the order, only the sweep publishes until nothing is left. */
  let overflowed = false;

  function overflow(): void {
    overflowed = true;
    news.clear();
  }

  /** Returns the news of a document if all earlier events are published, so that none is overtaken. */
  const ready = (one: News | undefined): News | undefined =>
    one?.before.every((id) => published.has(id)) ? one : undefined;

  return {
    published,
    removals,
    isEmpty: () => news.size() === 0,
    isIdle: () => news.size() === 0 && !overflowed && removals.isEmpty(),
    endPass: oldest.endPass,

    add(id: unknown, one?: News): void {
      if (news.isFull()) overflow();
      if (!overflowed) news.add(id, one);
    },

    addAgain(ids: readonly unknown[]): void {
      for (const id of ids) news.set(id, undefined);
    },

    dropFound(docs: readonly Pending[]): void {
      for (const { _id, outbox } of docs) {
        const found = new Set(outbox.slice(0, maxEventsPerDocument).map(({ id }) => id));
        if (news.get(_id)?.events.every(({ id }) => found.has(id))) news.delete(_id);
      }
    },

    async nextBatch(): Promise<Pending[]> {
      const taken = news.first(maxBatchDocuments).map(([id, one]) => [id, ready(one)] as const);
      for (const [id] of taken) news.delete(id);
      const unread = taken.filter(([, one]) => !one).map(([id]) => id as never);
      if (unread.length > 0) await removals.flush();
      const docs = unread.length > 0 ? await readBatch(collection.find({ _id: { $in: unread } }, pendingOptions)) : [];
      const byId = new Map(docs.map((doc) => [doc._id as unknown, doc]));
      return taken.flatMap(([id, one]) => (one ? { _id: id as never, outbox: one.events } : (byId.get(id) ?? [])));
    },

    async oldest(except: readonly never[]): Promise<Pending[]> {
      const hadOverflowed = overflowed;
      // Events nudged from now on are either found here or newer than everything found.
      overflowed = false;
      let found: Pending[] | undefined;
      try {
        await removals.flush();
        found = await oldest.find(except, hadOverflowed);
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
  { signal, log }: { signal: AbortSignal; log: Log },
) {
  const news = newsQueue(collection);
  const publishing: Publishing = { collection, publish, ids: news.published, log };
  let running: Promise<unknown> = Promise.resolve();
  let draining = false;

  function oneAtATime<T>(work: () => Promise<T>): Promise<T> {
    const result = running.then(work);
    running = result.catch(() => undefined);
    return result;
  }

  async function publishNext(): Promise<readonly unknown[]> {
    const { unfinished } = await publishBatch(publishing, await news.nextBatch(), news.removals.add);
    if (news.removals.isFull()) await news.removals.flush();
    return unfinished;
  }

  async function drain(): Promise<void> {
    while (!news.isEmpty() && !signal.aborted) news.addAgain(await oneAtATime(publishNext));
  }

  return {
    tell(id: unknown, one?: News): void {
      news.add(id, one);
      if (draining || news.isEmpty()) return;
      draining = true;
      setImmediate(() =>
        detached(drain)
          .catch((error) => log.warn({ err: error }, "events not published; the next sweep will retry them"))
          .finally(() => {
            draining = false;
          }),
      );
    },

    isIdle: news.isIdle,

    /** Does what a sweep does that finds nothing. */
    skipSweep: news.endPass,

    /** Removes what is published, and publishes what others left behind, oldest first. Failures are left for the next. */
    async sweep(): Promise<void> {
      const left: never[] = [];
      for (let allFailed = false; !allFailed && !signal.aborted; ) {
        await oneAtATime(async () => {
          const docs = await news.oldest(left);
          news.dropFound(docs);
          const { failed } = await publishBatch(publishing, docs);
          left.push(...failed);
          allFailed = failed.length === docs.length;
        });
      }
      news.endPass();
    },

    /** Resolves when nothing is under way and what was published is removed. */
    async settled(): Promise<void> {
      await running;
      await news.removals.flush().catch((error) => log.warn({ err: error }, "published events not removed"));
    },
  };
}
