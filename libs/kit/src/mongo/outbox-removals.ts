import type { Collection } from "mongodb";
import { type OutboxDoc, type Published, removing } from "./outbox-batch.js";

/** Documents of one write: it compares each of their events with each published id. */
const maxPerWrite = 50;
/** With more documents than this, their events are removed at once. */
const maxWaiting = 1_000;

/** Published events that are still in their documents. They are removed together, up to a second later. */
export function removalsFrom(collection: Collection<OutboxDoc>) {
  let waiting = new Map<unknown, string[]>();

  return {
    isEmpty: () => waiting.size === 0,
    isFull: () => waiting.size >= maxWaiting,

    add(published: readonly Published[]): void {
      for (const { id, eventIds } of published) waiting.set(id, [...(waiting.get(id) ?? []), ...eventIds]);
    },

    /** Removes all of them. If that fails, or the process dies, they are published again under the same ids. */
    async flush(): Promise<void> {
      if (waiting.size === 0) return;
      const all = [...waiting];
      waiting = new Map();
      const writes = Array.from({ length: Math.ceil(all.length / maxPerWrite) }, (_, nth) => {
        const some = all.slice(nth * maxPerWrite, (nth + 1) * maxPerWrite);
        const filter = { _id: { $in: some.map(([id]) => id) } } as never;
        const update = { $pull: { outbox: { id: { $in: some.flatMap(([, ids]) => ids) } } } } as never;
        return { updateMany: { filter, update } };
      });
      await collection.bulkWrite(writes, { ordered: false, ...removing });
    },
  };
}
