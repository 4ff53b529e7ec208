import { fixedLimit } from "@ci/kit/process/fixed-limit";
import {
  type DeliveryDoc,
  type DueDeliveries,
  type DueDelivery,
  isFirstAttempt,
  sizeInMemory,
  waiting,
} from "../store/delivery-doc.js";
import { dueRoom } from "../store/due-deliveries.js";

/** First attempts that this process has stored itself, kept in memory so that they need not be read back. */
export interface RecentDeliveries {
  /** Inserts deliveries with consecutive ids, then keeps them if `insert` reports that all were new. */
  store(docs: readonly DeliveryDoc[], insert: () => Promise<boolean>): Promise<void>;
  /** Reads what is due. First attempts that it has left unread have ids from `nextId` on. */
  readDue(
    webhookId: number,
    read: () => Promise<DueDeliveries>,
  ): Promise<{ readonly due: DueDeliveries; readonly nextId: number }>;
  /** Takes some of a webhook's deliveries from an id on, in order; undefined if the database may have others. */
  take(webhookId: number, fromId: number): DueDeliveries | undefined;
}

/** Bytes of payloads in memory, roughly. What is dropped is read from the database when its turn comes. */
const maxBytes = fixedLimit({
  max: 8 * 1024 ** 2,
  unit: "bytes",
  about: "new deliveries that are sent from memory, roughly",
  effect: "further ones are read from MongoDB in their turn",
});

interface Kept {
  docs: DueDelivery[];
  /** Those with lower ids were read or taken. If their lane was lost, only the database has them. */
  fromId: number;
}

type ByWebhook = Map<number, Kept>;

const idAfter = (docs: readonly DueDelivery[]): number => docs.reduce((next, { _id }) => Math.max(next, _id + 1), 0);

// Once another process has stored deliveries, the next ids leave a gap (ordered-ids.ts). Without one, these are complete.
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

  function keep(doc: DueDelivery): void {
    const theirs = newer.get(doc.webhookId);
    if (theirs) theirs.docs.push(doc);
    else newer.set(doc.webhookId, { docs: [doc], fromId: 0 });
    newerBytes += sizeInMemory(doc);
  }

  function keepAll(docs: readonly DeliveryDoc[], allNew: boolean): void {
    if (docs[0]!._id !== endId) restartAt(docs[0]!._id);
    const next = docs.at(-1)!._id + 1;
    makeRoom();
    for (const doc of docs) if (isFirstAttempt(doc) && !readEarly?.has(doc._id)) keep(waiting(doc));
    endId = next;
    if (!allNew) restartAt(next);
  }

  const keptOf = (webhookId: number): Kept[] => [older, newer].flatMap((generation) => generation.get(webhookId) ?? []);

  const handedOut = (webhookId: number): number => Math.max(0, ...keptOf(webhookId).map(({ fromId }) => fromId));

  function removeBelow(webhookId: number, id: number): void {
    for (const kept of keptOf(webhookId)) {
      kept.docs = kept.docs.filter(({ _id }) => _id >= id);
      kept.fromId = Math.max(kept.fromId, id);
    }
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
      const end = endId;
      const due = await read();
      for (const { _id } of due.docs) readEarly?.add(_id);
      const afterFirst = idAfter(due.docs.filter(isFirstAttempt));
      const nextId = due.left === "first" ? afterFirst : Math.max(end, afterFirst, handedOut(webhookId));
      removeBelow(webhookId, nextId);
      return { due, nextId };
    },
    take(webhookId, fromId) {
      if (fromId < Math.max(firstId, handedOut(webhookId))) return undefined;
      const all = keptOf(webhookId).flatMap((kept) => kept.docs.filter(({ _id }) => _id >= fromId));
      const hasRoom = dueRoom();
      const beyond = all.findIndex((doc) => !hasRoom(doc)) + 1;
      const docs = beyond > 0 ? all.slice(0, beyond) : all;
      removeBelow(webhookId, Math.max(fromId, idAfter(docs)));
      return { docs, left: docs.length < all.length ? "first" : "nothing" };
    },
  };
}
