import { fixedLimit } from "../process/fixed-limit.js";
import type { OutboxEvent } from "./document.js";

/** With more documents than this, all are left to the sweep. */
const maxDocuments = fixedLimit({
  max: 10_000,
  about: "records with waiting events that a process remembers",
  effect: "all are found by the next search for waiting events",
});
/** Events beyond this are not kept in memory while they wait, but read from their documents. */
const maxLength = fixedLimit({
  max: 16 * 1024 ** 2,
  about: "waiting events that a process holds, in characters",
  effect: "further ones are read from MongoDB when they are published",
});
/** Enough that an event's id is still known when the next event of its document comes. */
const maxPublished = 20_000;

/** New events of a document, and the ids of those that were in its outbox before them. */
export interface News {
  readonly events: readonly OutboxEvent[];
  readonly before: readonly string[];
}

const lengthOf = (news: News | undefined): number => news?.events.reduce((sum, { json }) => sum + json.length, 0) ?? 0;

/** The ids of events that this process has published, as far as it remembers. */
export function publishedIds() {
  const ids = new Set<string>();
  return {
    has: (id: string) => ids.has(id),
    add(id: string): void {
      ids.delete(id);
      if (ids.size >= maxPublished) ids.delete(ids.keys().next().value!);
      ids.add(id);
    },
  };
}

export type PublishedIds = ReturnType<typeof publishedIds>;

/** The documents with news, in order. Without its events a document has to be read. */
export function newsMap(published: PublishedIds, maxEvents: number) {
  const all = new Map<unknown, News | undefined>();
  let length = 0;

  /** Returns both together, or undefined if there may be an event between them. */
  function joined(one: News | undefined, other: News | undefined): News | undefined {
    if (!one || !other) return undefined;
    const known = new Set([...one.before, ...one.events.map(({ id }) => id)]);
    const isKnown = other.before.every((id) => known.has(id) || published.has(id));
    return isKnown ? { before: one.before, events: [...one.events, ...other.events] } : undefined;
  }

  const isKept = (news: News): boolean =>
    news.events.length <= maxEvents &&
    !news.events.some(({ shared }) => shared) &&
    length + lengthOf(news) <= maxLength;

  function set(id: unknown, news: News | undefined): void {
    length -= lengthOf(all.get(id));
    const kept = news && isKept(news) ? news : undefined;
    length += lengthOf(kept);
    all.set(id, kept);
  }

  return {
    size: () => all.size,
    isFull: () => all.size >= maxDocuments,
    get: (id: unknown) => all.get(id),
    first: (count: number) => [...all].slice(0, count),
    set,
    add: (id: unknown, news: News | undefined) => set(id, all.has(id) ? joined(all.get(id), news) : news),
    delete(id: unknown): void {
      length -= lengthOf(all.get(id));
      all.delete(id);
    },
    clear(): void {
      length = 0;
      all.clear();
    },
  };
}
