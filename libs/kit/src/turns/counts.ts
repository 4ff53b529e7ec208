interface Counts<Key> {
  of(key: Key): number;
  add(key: Key, change: number): void;
  /** Returns the keys whose count is not 0. */
  keys(): Key[];
}

/** Counts by key, each 0 at first. A key whose count is 0 takes no memory. */
export function countsBy<Key>(): Counts<Key> {
  const counts = new Map<Key, number>();
  const of = (key: Key) => counts.get(key) ?? 0;
  return {
    of,
    add(key, change) {
      const count = of(key) + change;
      if (count === 0) counts.delete(key);
      else counts.set(key, count);
    },
    keys: () => [...counts.keys()],
  };
}
