import { fixedLimit } from "@ci/kit/process/fixed-limit";
import type { DeliveryDoc } from "../store/delivery-doc.js";

/** First attempts that this process has stored itself, kept in memory so that they need not be read back. */
export interface RecentDeliveries {
  /** Inserts deliveries with consecutive ids, then keeps them if `insert` reports that all were new. */
  store(docs: readonly DeliveryDoc[], insert: () => Promise<boolean>): Promise<void>;
  /** Reads what is due. Deliveries taken later with ids from `nextId` on were not among it. */
  readDue<D extends { readonly docs: readonly DeliveryDoc[] }>(
    webhookId: number,
    read: () => Promise<D>,
  ): Promise<{ readonly due: D; readonly nextId: number }>;
  /** Takes a webhook's deliveries from an id on, in order; undefined if the database may have others. */
  take(webhookId: number, fromId: number): DeliveryDoc[] | undefined;
}

/** Bytes of payloads in memory, roughly. What is dropped is read from the database when its turn comes. */
const maxBytes = fixedLimit({
  max: 8 * 1024 ** 2,
  unit: "bytes",
  about: "new deliveries that are sent from memory, roughly",
  effect: "further ones are read from MongoDB in their turn",
});

type ByWebhook = Map<number, DeliveryDoc[]>;

// All processes reserve ids from one counter just before they store. As long as the ids given to this process are
// consecutive, no other process has stored anything in between, and what is kept here is complete.
export function recentDeliveries(): RecentDeliveries {
  // Two generations: when the newer one is half of what fits, the older one is dropped.
  let older: ByWebhook = new Map();
  let newer: ByWebhook = new Map();
  /** Ids in [firstId, endId) are kept; `newer` has those from `newerId` on. */
  let [firstId, newerId, endId] = [0, 0, 0];
  let newerBytes = 0;
  /** Ids read from the database before the insert was confirmed: inserted documents are visible before that. */
  let readEarly: Set<number> | undefined;

  function restartAt(id: number): void {
    [older, newer, newerBytes] = [new Map(), new Map(), 0];
    [firstId, newerId, endId] = [id, id, id];
  }

  function makeRoom(): void {
    if (newerBytes < maxBytes / 2) return;
    [older, newer, newerBytes] = [newer, new Map(), 0];
    [firstId, newerId] = [newerId, endId];
  }

  function keep(doc: DeliveryDoc): void {
    const theirs = newer.get(doc.webhookId);
    if (theirs) theirs.push(doc);
    else newer.set(doc.webhookId, [doc]);
    newerBytes += doc.request.payload.length;
  }

  function keepAll(docs: readonly DeliveryDoc[], allNew: boolean): void {
    if (docs[0]!._id !== endId) restartAt(docs[0]!._id);
    const next = docs.at(-1)!._id + 1;
    makeRoom();
    for (const doc of docs) if (!readEarly?.has(doc._id)) keep(doc);
    endId = next;
    if (!allNew) restartAt(next);
  }

  function remove(webhookId: number): DeliveryDoc[] {
    const removed = [...(older.get(webhookId) ?? []), ...(newer.get(webhookId) ?? [])];
    older.delete(webhookId);
    newer.delete(webhookId);
    return removed;
  }

  return {
    async store(docs, insert) {
      readEarly = new Set();
      try {
        keepAll(docs, await insert());
      } finally {
        readEarly = undefined;
      }
    },
    async readDue(webhookId, read) {
      remove(webhookId);
      const end = endId;
      const due = await read();
      for (const { _id } of due.docs) readEarly?.add(_id);
      return { due, nextId: Math.max(end, ...due.docs.map(({ _id }) => _id + 1)) };
    },
    take: (webhookId, fromId) => (fromId < firstId ? undefined : remove(webhookId).filter(({ _id }) => _id >= fromId)),
  };
}
