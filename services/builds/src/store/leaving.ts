import type { Place } from "./line.js";

type Left = Pick<Place, "_id" | "joined">;

const removeAfterMs = 100;

/** Places that this process will soon remove together. Its claims ignore them, unless their users join again. */
export function leavingPlaces(remove: (places: readonly Left[]) => Promise<unknown>) {
  const leaving = new Map<Left["_id"], Left>();
  let isScheduled = false;

  async function removeAll(): Promise<void> {
    const gone = [...leaving.values()];
    // A place that stays is removed by the next claim that finds it.
    if (gone.length > 0) await remove(gone).catch(() => undefined);
    for (const left of gone) if (leaving.get(left._id) === left) leaving.delete(left._id);
    isScheduled = false;
    if (leaving.size > 0) schedule();
  }
  function schedule(): void {
    if (!isScheduled) setTimeout(removeAll, removeAfterMs).unref();
    isScheduled = true;
  }

  return {
    add({ _id, joined }: Left): void {
      leaving.set(_id, { _id, joined });
      schedule();
    },
    /** Keeps a place. Returns its number if it was about to be removed. */
    keep(id: Left["_id"]): Left["joined"] | undefined {
      const joined = leaving.get(id)?.joined;
      leaving.delete(id);
      return joined;
    },
    /** Selects all other places. */
    others: () => (leaving.size === 0 ? {} : { $nor: [...leaving.values()] }),
  };
}
