import { sharesOf } from "./shares.js";

interface FairQueue<Owner, Key, Value> {
  /** Adds work, or changes what waits under the same key. */
  add(owner: Owner, key: Key, value: (earlier: Value | undefined) => Value): void;
  /** Removes work that still waits. */
  remove(owner: Owner, key: Key): void;
  /** Gives a slot to the next work; undefined if none may have one now. */
  take(): { readonly owner: Owner; readonly key: Key; readonly value: Value } | undefined;
  /** Frees a slot of an owner. */
  release(owner: Owner): void;
  /** Returns how much of an owner's work waits. */
  waiting(owner: Owner): number;
  /** Reports whether other work of the owner, or work of an owner with fewer slots, waits for the owner's slots. */
  isWanted(owner: Owner): boolean;
}

/** Work that waits for slots, which its owners share and take turns to get. */
export function fairQueue<Owner, Key, Value>(slots: number): FairQueue<Owner, Key, Value> {
  const shares = sharesOf<Owner>(slots);
  /** The waiting work of each owner whose work waits or runs. The first owner has waited longest for a slot. */
  const owners = new Map<Owner, Map<Key, Value>>();

  function forgetIdle(owner: Owner): void {
    if (shares.runningOf(owner) === 0 && owners.get(owner)?.size === 0) owners.delete(owner);
  }

  return {
    add(owner, key, value) {
      const waiting = owners.get(owner) ?? new Map();
      owners.set(owner, waiting);
      waiting.set(key, value(waiting.get(key)));
    },

    remove(owner, key) {
      owners.get(owner)?.delete(key);
      forgetIdle(owner);
    },

    take() {
      if (shares.isFull()) return undefined;
      for (const [owner, waiting] of owners) {
        const [first] = waiting;
        if (!first || !shares.mayStart(owner)) continue;
        const [key, value] = first;
        waiting.delete(key);
        shares.take(owner);
        owners.delete(owner);
        owners.set(owner, waiting);
        return { owner, key, value };
      }
      return undefined;
    },

    release(owner) {
      shares.release(owner);
      forgetIdle(owner);
    },

    waiting: (owner) => owners.get(owner)?.size ?? 0,

    isWanted(owner) {
      if (owners.get(owner)!.size > 0) return true;
      const own = shares.runningOf(owner);
      for (const [other, waiting] of owners) if (waiting.size > 0 && shares.runningOf(other) < own) return true;
      return false;
    },
  };
}
