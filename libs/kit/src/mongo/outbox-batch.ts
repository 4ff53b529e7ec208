import type { AnyBulkWriteOperation, Collection, Document } from "mongodb";
import type { Bus } from "../bus/bus.js";
import type { Log } from "../process/log.js";
import { type Outbox, type OutboxEvent, withSharedText } from "./document.js";
import type { PublishedIds } from "./outbox-news.js";

export type OutboxDoc = Outbox & Document;

export interface Pending {
  readonly _id: never;
  readonly outbox: readonly OutboxEvent[];
  readonly deletedAt?: Date;
}

interface Result {
  readonly doc: Pending;
  readonly published: readonly OutboxEvent[];
  readonly error?: unknown;
}

/** A published event, the `nth` that its document had. */
interface Head {
  readonly doc: Pending;
  readonly event: OutboxEvent;
  readonly nth: number;
}

/** Reports whether this is the last event of a deleted document, which gets no more. */
const isLast = ({ doc, nth }: Head): boolean => doc.deletedAt !== undefined && nth === doc.outbox.length - 1;

/** Events of a document that were published, and may be removed from it. */
export interface Published {
  readonly id: unknown;
  readonly eventIds: readonly string[];
}

export const maxEventsPerDocument = 4;
const maxBatchBytes = 8 * 1024 ** 2;

/** Reads one event more than a batch takes, to know whether there are more, and none whose write may be rolled back. */
export const pendingOptions = {
  projection: { outbox: { $slice: maxEventsPerDocument + 1 }, deletedAt: 1 },
  readConcern: "majority",
} as const;

/** Waits for a majority, so that the next read gets other events. If a removal is lost, they are published again. */
export const removing = { writeConcern: { w: "majority" } } as const;

const hasMore = ({ outbox }: Pending): boolean => outbox.length > maxEventsPerDocument;

export async function readBatch(cursor: AsyncIterable<unknown>): Promise<Pending[]> {
  const docs: Pending[] = [];
  let sizeBytes = 0;
  for await (const doc of cursor as AsyncIterable<Pending>) {
    docs.push(doc);
    for (const { json, shared } of doc.outbox) sizeBytes += json.length + (shared?.length ?? 0);
    if (sizeBytes > maxBatchBytes) break;
  }
  return docs;
}

/** Reads the text that events of a document share; empty if the document is gone, and its events with it. */
async function sharedTextOf(collection: Collection<OutboxDoc>, { _id, outbox }: Pending): Promise<string> {
  const field = outbox.find(({ shared }) => shared)?.shared?.field;
  if (field === undefined) return "";
  const doc = await collection.findOne({ _id }, { projection: { [field]: 1 } });
  return String(doc?.[field] ?? "");
}

async function publishInOrder({ collection, publish, ids }: Publishing, doc: Pending): Promise<Result> {
  const published: OutboxEvent[] = [];
  try {
    const text = await sharedTextOf(collection, doc);
    for (const event of doc.outbox.slice(0, maxEventsPerDocument)) {
      if (!ids.has(event.id)) await publish({ ...event, json: withSharedText(event, text) });
      ids.add(event.id);
      published.push(event);
    }
    return { doc, published };
  } catch (error) {
    return { doc, published, error };
  }
}

/** Matches documents whose oldest event is still one of these: another replica may have removed some. */
const startingWith = (heads: readonly Head[]) => ({
  _id: { $in: heads.map(({ doc }) => doc._id) },
  "outbox.0.id": { $in: heads.map(({ event }) => event.id) },
});

function removal(heads: readonly Head[]): AnyBulkWriteOperation<OutboxDoc>[] {
  const [last, others] = [heads.filter(isLast), heads.filter((head) => !isLast(head))];
  const writes: AnyBulkWriteOperation<OutboxDoc>[] = [];
  if (others.length > 0)
    writes.push({ updateMany: { filter: startingWith(others), update: { $pop: { outbox: -1 } } } });
  if (last.length > 0)
    writes.push({ deleteMany: { filter: { ...startingWith(last), outbox: { $size: 1 } } as never } });
  return writes;
}

/** Removes published events: first the oldest of all documents in one write, then the second ones, and so on. */
const removals = (results: readonly Result[]): AnyBulkWriteOperation<OutboxDoc>[] =>
  Array.from({ length: maxEventsPerDocument }, (_, nth) =>
    removal(results.flatMap(({ doc, published }) => (published[nth] ? { doc, event: published[nth], nth } : []))),
  ).flat();

export interface Publishing {
  readonly collection: Collection<OutboxDoc>;
  readonly publish: Bus["publish"];
  readonly ids: PublishedIds;
  readonly log: Log;
}

/** Publishes the events of some documents. Passes those that may be removed later to `later`, if there is such a function. */
export async function publishBatch(
  publishing: Publishing,
  docs: readonly Pending[],
  later?: (published: readonly Published[]) => void,
) {
  const { collection, log } = publishing;
  const results = await Promise.all(docs.map((doc) => publishInOrder(publishing, doc)));
  const canWait = ({ doc }: Result) => later !== undefined && doc.deletedAt === undefined;
  const writes = removals(results.filter((result) => !canWait(result)));
  if (writes.length > 0) await collection.bulkWrite(writes, removing);
  later?.(
    results
      .filter((result) => canWait(result) && result.published.length > 0)
      .map(({ doc, published }) => ({ id: doc._id, eventIds: published.map(({ id }) => id) })),
  );
  const failed = results.filter(({ error }) => error !== undefined);
  if (failed.length > 0)
    log.warn(
      { err: failed[0]!.error, documents: failed.length },
      "events not published; the next sweep will retry them",
    );
  return {
    failed: failed.map(({ doc }) => doc._id),
    unfinished: results.filter(({ doc, error }) => error === undefined && hasMore(doc)).map(({ doc }) => doc._id),
  };
}
