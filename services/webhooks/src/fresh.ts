import type { DeliveryDoc } from "./store/deliveries.js";

/** First attempts that this process has stored itself, so that whoever makes them need not read them back. */
export interface Fresh {
  /**
   * Keeps what is being stored under consecutive ids, when that is done. `store` answers whether all of it was new;
   * otherwise which of it is has to be read.
   */
  storing(docs: readonly DeliveryDoc[], store: () => Promise<boolean>): Promise<void>;
  /**
   * What is due for a webhook as the database has it, in which all is found that was here. What is taken later for an
   * id that is not lower than `from` has not been found.
   */
  found<D extends { readonly docs: readonly DeliveryDoc[] }>(
    webhookId: number,
    look: () => Promise<D>,
  ): Promise<{ readonly due: D; readonly from: number }>;
  /** Takes those of a webhook from an id on, in order; undefined when there may be others in the database. */
  take(webhookId: number, from: number): DeliveryDoc[] | undefined;
}

/** Text of bodies in memory at once, about: what nobody takes goes, and is read when its turn comes. */
const mostBytes = 8 * 1024 ** 2;

type ByWebhook = Map<number, DeliveryDoc[]>;

/**
 * Ids are reserved by all processes from one counter, just before something is stored under them. So while the ids that
 * this process was given follow each other, nobody else has stored anything between, and what is here is all there is.
 */
export function fresh(): Fresh {
  let older: ByWebhook = new Map();
  let newer: ByWebhook = new Map();
  /** All from the first id to before the last one are here, of which `newer` has those from the middle on. */
  let [first, middle, end] = [0, 0, 0];
  let newerBytes = 0;
  /** What was found in the database while it was still being stored: it is visible before it is on the disk. */
  let early: Set<number> | undefined;

  function startAt(id: number): void {
    [older, newer, newerBytes] = [new Map(), new Map(), 0];
    [first, middle, end] = [id, id, id];
  }

  function makeRoom(): void {
    if (newerBytes < mostBytes / 2) return;
    [older, newer, newerBytes] = [newer, new Map(), 0];
    [first, middle] = [middle, end];
  }

  function add(doc: DeliveryDoc): void {
    const theirs = newer.get(doc.webhookId);
    if (theirs) theirs.push(doc);
    else newer.set(doc.webhookId, [doc]);
    newerBytes += doc.request.payload.length;
  }

  function keep(docs: readonly DeliveryDoc[], all: boolean): void {
    if (docs[0]!._id !== end) startAt(docs[0]!._id);
    const next = docs.at(-1)!._id + 1;
    makeRoom();
    for (const doc of docs) if (!early?.has(doc._id)) add(doc);
    end = next;
    if (!all) startAt(next);
  }

  function forget(webhookId: number): DeliveryDoc[] {
    const theirs = [...(older.get(webhookId) ?? []), ...(newer.get(webhookId) ?? [])];
    older.delete(webhookId);
    newer.delete(webhookId);
    return theirs;
  }

  return {
    async storing(docs, store) {
      early = new Set();
      try {
        keep(docs, await store());
      } finally {
        early = undefined;
      }
    },
    async found(webhookId, look) {
      forget(webhookId);
      const before = end;
      const due = await look();
      for (const { _id } of due.docs) early?.add(_id);
      return { due, from: Math.max(before, ...due.docs.map(({ _id }) => _id + 1)) };
    },
    take: (webhookId, from) => (from < first ? undefined : forget(webhookId).filter(({ _id }) => _id >= from)),
  };
}
