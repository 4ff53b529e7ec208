import type { WaitingUser } from "./line.js";

type Left = Pick<WaitingUser, "_id" | "joined">;

const removeAfterMs = 100;

/** Users whom this process will soon remove from a line together. Its claims ignore them, unless they join again. */
export function leavingUsers(remove: (users: readonly Left[]) => Promise<unknown>) {
  const leaving = new Map<Left["_id"], Left>();
  let isScheduled = false;

  async function removeAll(): Promise<void> {
    const gone = [...leaving.values()];
    // A user who stays is removed by the next claim that finds it.
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
    has: (id: Left["_id"]): boolean => leaving.has(id),
    /** Keeps a user. Returns their `joined` if they were about to be removed. */
    keep(id: Left["_id"]): Left["joined"] | undefined {
      const joined = leaving.get(id)?.joined;
      leaving.delete(id);
      return joined;
    },
    /** Selects all other users. */
    others: () => (leaving.size === 0 ? {} : { $nor: [...leaving.values()] }),
  };
}
