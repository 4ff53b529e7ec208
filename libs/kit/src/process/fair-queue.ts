interface Share<Key, Value> {
  running: number;
  readonly waiting: Map<Key, Value>;
}

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

/**
 * Work that waits for slots. Owners take turns, and no owner gets a slot while it has as many as are free. So one owner
 * gets half of the slots, and others find a slot free although all work of the first one hangs.
 */
export function fairQueue<Owner, Key, Value>(slots: number): FairQueue<Owner, Key, Value> {
  /** Owners whose work waits or runs. The first has waited longest for a slot. */
  const shares = new Map<Owner, Share<Key, Value>>();
  let taken = 0;

  return {
    add(owner, key, value) {
      const share = shares.get(owner) ?? { running: 0, waiting: new Map() };
      shares.set(owner, share);
      share.waiting.set(key, value(share.waiting.get(key)));
    },

    remove(owner, key) {
      const share = shares.get(owner);
      share?.waiting.delete(key);
      if (share?.running === 0 && share.waiting.size === 0) shares.delete(owner);
    },

    take() {
      for (const [owner, share] of shares) {
        const [first] = share.waiting;
        if (!first || share.running >= slots - taken) continue;
        const [key, value] = first;
        share.waiting.delete(key);
        share.running++;
        taken++;
        shares.delete(owner);
        shares.set(owner, share);
        return { owner, key, value };
      }
      return undefined;
    },

    release(owner) {
      const share = shares.get(owner)!;
      share.running--;
      taken--;
      if (share.running === 0 && share.waiting.size === 0) shares.delete(owner);
    },

    waiting: (owner) => shares.get(owner)?.waiting.size ?? 0,

    isWanted(owner) {
      const own = shares.get(owner)!;
      if (own.waiting.size > 0) return true;
      for (const { running, waiting } of shares.values()) if (waiting.size > 0 && running < own.running) return true;
      return false;
    },
  };
}
