import type { AnyBulkWriteOperation, Collection, Document } from "mongodb";
import type { Bus } from "../bus/bus.js";
import type { Log } from "../process/log.js";
import { loop } from "../process/loop.js";
import { computedGauge, type Seen } from "../process/metrics.js";
import { detached } from "../rpc/caller.js";
import type { Outbox, OutboxEvent } from "./document.js";

/** The index that finds documents with waiting events, oldest first; every collection with an outbox needs it. */
export const outboxIndex = { key: { "outbox.at": 1 }, name: "outbox-at", sparse: true } as const;

const showBacklog = computedGauge({
  name: "ci_outbox_oldest_seconds",
  help: "Age of the oldest event that waits to be published, 0 when none does",
  labelNames: ["collection"],
});

type Doc = Outbox & Document;

/** A document as far as the relay reads it: its oldest events. */
interface Found {
  readonly _id: never;
  readonly outbox: readonly OutboxEvent[];
  readonly deletedAt?: Date;
}

/** One of them, and how far it came. */
interface Carried {
  readonly doc: Found;
  readonly published: readonly OutboxEvent[];
  readonly error?: unknown;
}

/** An event that was published, and its place among those that its document had. */
interface Head {
  readonly doc: Found;
  readonly event: OutboxEvent;
  readonly nth: number;
}

/** Nothing is added to a document that is deleted. */
const isLast = ({ doc, nth }: Head): boolean => doc.deletedAt !== undefined && nth === doc.outbox.length - 1;

const documentsAtATime = 200;
/** Of one document; one more is read to know whether there are others. */
const eventsAtATime = 4;
/** Text of events in memory at once, give or take a document. */
const bytesAtATime = 8 * 1024 ** 2;
/** Documents told of and not yet looked at; with more of them all are left to the sweep. */
const mostNews = 10_000;
const few = { projection: { outbox: { $slice: eventsAtATime + 1 }, deletedAt: 1 } } as const;

const hasMore = ({ outbox }: Found): boolean => outbox.length > eventsAtATime;

/** Reads as many documents as may be in memory at once. */
async function some(cursor: AsyncIterable<unknown>): Promise<Found[]> {
  const docs: Found[] = [];
  let sizeBytes = 0;
  for await (const doc of cursor as AsyncIterable<Found>) {
    docs.push(doc);
    for (const { json } of doc.outbox) sizeBytes += json.length;
    if (sizeBytes > bytesAtATime) break;
  }
  return docs;
}

/** Publishes the events of one document one after the other, until the stream refuses one. */
async function publishOf(doc: Found, publish: Bus["publish"]): Promise<Carried> {
  const published: OutboxEvent[] = [];
  try {
    for (const event of doc.outbox.slice(0, eventsAtATime)) {
      await publish(event);
      published.push(event);
    }
    return { doc, published };
  } catch (error) {
    return { doc, published, error };
  }
}

/** These events, each the oldest of its document; another replica may have removed some already: those match nothing. */
const whose = (heads: readonly Head[]) => ({
  _id: { $in: heads.map(({ doc }) => doc._id) },
  "outbox.0.id": { $in: heads.map(({ event }) => event.id) },
});

/** Takes the oldest event from each of these documents; the last one of a deleted document takes the document along. */
function removal(heads: readonly Head[]): AnyBulkWriteOperation<Doc>[] {
  const [last, others] = [heads.filter(isLast), heads.filter((head) => !isLast(head))];
  const writes: AnyBulkWriteOperation<Doc>[] = [];
  if (others.length > 0) writes.push({ updateMany: { filter: whose(others), update: { $pop: { outbox: -1 } } } });
  if (last.length > 0) writes.push({ deleteMany: { filter: { ...whose(last), outbox: { $size: 1 } } as never } });
  return writes;
}

/** Removes what the stream has: the oldest events of all documents in one write, then what came after those. */
const removals = (carried: readonly Carried[]): AnyBulkWriteOperation<Doc>[] =>
  Array.from({ length: eventsAtATime }, (_, nth) =>
    removal(carried.flatMap(({ doc, published }) => (published[nth] ? { doc, event: published[nth], nth } : []))),
  ).flat();

/** Publishes what waits in these documents, side by side. */
async function carry(collection: Collection<Doc>, docs: readonly Found[], publish: Bus["publish"], log: Log) {
  const carried = await Promise.all(docs.map((doc) => publishOf(doc, publish)));
  const gone = removals(carried);
  // It need not reach the disk before we go on: an event that comes back is published again, and known by its id.
  if (gone.length > 0) await collection.bulkWrite(gone, { writeConcern: { w: 1, journal: false } });
  const failed = carried.filter(({ error }) => error !== undefined);
  if (failed.length > 0)
    log.warn({ err: failed[0]!.error, documents: failed.length }, "events not published yet, the sweep will");
  return {
    failed: failed.map(({ doc }) => doc._id),
    unfinished: carried.filter(({ doc, error }) => error === undefined && hasMore(doc)).map(({ doc }) => doc._id),
  };
}

/**
 * Tells the relay that a document has events; with the event itself when it is known that no other waits there and
 * that the document stays.
 */
export type Nudge = (collection: Collection<never>, id: unknown, only?: OutboxEvent) => void;

/** The relay of one collection. One batch at a time keeps the events of each document in order. */
function courier(collection: Collection<Doc>, publish: Bus["publish"], on: { signal: AbortSignal; log: Log }) {
  /** Documents with news, in order of the news. Undefined: to be read. */
  const news = new Map<unknown, OutboxEvent | undefined>();
  let under: Promise<unknown> = Promise.resolve();
  let draining = false;
  /** There was more news than can be kept: for the order's sake all goes by the sweep until nothing waits any more. */
  let behind = false;

  /** Work on the documents that nothing else is done with meanwhile. */
  function alone<T>(work: () => Promise<T>): Promise<T> {
    const mine = under.then(work);
    under = mine.catch(() => undefined);
    return mine;
  }

  function fallBehind(): void {
    behind = true;
    news.clear();
  }

  async function nextBatch(): Promise<Found[]> {
    const taken = [...news].slice(0, documentsAtATime);
    for (const [id] of taken) news.delete(id);
    const unread = taken.filter(([, event]) => !event).map(([id]) => id as never);
    if (unread.length === 0) return taken.map(([id, event]) => ({ _id: id as never, outbox: [event!] }));
    const read = await some(collection.find({ _id: { $in: unread } }, few));
    const byId = new Map(read.map((doc) => [doc._id as unknown, doc]));
    // In the order of the news, for that is the order of emission.
    return taken.flatMap(([id, event]) => (event ? { _id: id as never, outbox: [event] } : (byId.get(id) ?? [])));
  }

  /** The oldest documents of the collection, but for some. */
  async function oldest(but: readonly never[]): Promise<Found[]> {
    const filter = { "outbox.at": { $exists: true }, ...(but.length > 0 ? { _id: { $nin: but } } : {}) };
    const cursor = collection
      .find(filter as never, few)
      .sort({ "outbox.at": 1 })
      .limit(documentsAtATime);
    const wasBehind = behind;
    // What is told from now on is found here, or comes later than all that is found.
    behind = false;
    let found: Found[] | undefined;
    try {
      found = await some(cursor);
      return found;
    } finally {
      if (wasBehind && found?.length !== 0) fallBehind();
    }
  }

  async function drain(): Promise<void> {
    while (news.size > 0 && !on.signal.aborted) {
      const { unfinished } = await alone(async () => carry(collection, await nextBatch(), publish, on.log));
      for (const id of unfinished) news.set(id, undefined);
    }
  }

  return {
    tell(id: unknown, only?: OutboxEvent): void {
      if (news.size >= mostNews) fallBehind();
      if (behind) return;
      // Of a document that is told of twice, the one event is no longer the only one.
      news.set(id, news.has(id) ? undefined : only);
      if (draining) return;
      draining = true;
      setImmediate(() =>
        detached(drain)
          .catch((error) => on.log.warn({ err: error }, "events not published yet, the sweep will"))
          .finally(() => {
            draining = false;
          }),
      );
    },

    /** Everything that waits anywhere, oldest first; what fails is left for the next sweep. */
    async sweep(): Promise<void> {
      const left: never[] = [];
      for (let all = false; !all && !on.signal.aborted; ) {
        await alone(async () => {
          const docs = await oldest(left);
          // Those of the news go now, for one that was written after them may be found here before its news.
          for (const { _id, outbox } of docs)
            if (news.get(_id) && news.get(_id)?.id === outbox[0]?.id) news.delete(_id);
          const { failed } = await carry(collection, docs, publish, on.log);
          left.push(...failed);
          // Where nothing at all goes out, the stream is away.
          all = failed.length === docs.length;
        });
      }
    },

    settled: () => under,
  };
}

/** How long the oldest event of a collection has been waiting. */
async function backlogOf(collection: Collection<never>): Promise<Seen> {
  const oldest = (collection as unknown as Collection<Doc>)
    .find({ "outbox.at": { $exists: true } }, { projection: { "outbox.at": 1 } })
    .sort({ "outbox.at": 1 })
    .limit(1);
  const at = (await oldest.next())?.outbox[0]?.at;
  const value = at ? Math.max(0, Date.now() - at.getTime()) / 1_000 : 0;
  return { value, labels: { collection: collection.collectionName } };
}

/** Carries waiting events to the stream: of a document at once when told of it, of all others within a second. */
export function relay(
  collections: Collection<never>[],
  bus: Pick<Bus, "publish">,
  on: { signal: AbortSignal; log: Log },
): { nudge: Nudge; done: Promise<unknown> } {
  const couriers = new Map(
    collections.map((one) => [one.collectionName, courier(one as unknown as Collection<Doc>, bus.publish, on)]),
  );
  const shown = showBacklog(() => Promise.all(collections.map(backlogOf)));
  const sweeping = loop(
    "relay-events",
    1_000,
    async () => {
      for (const one of couriers.values()) await one.sweep();
    },
    on,
  );
  return {
    nudge: (collection, id, only) => couriers.get(collection.collectionName)!.tell(id, only),
    done: sweeping.done.then(async () => {
      await shown[Symbol.asyncDispose]();
      return Promise.allSettled([...couriers.values()].map((one) => one.settled()));
    }),
  };
}
