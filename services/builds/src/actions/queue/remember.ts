const maxRemembered = 10_000;

/** Caches values for a while. Concurrent reads of a key share one read. */
export interface Memory<K, V> {
  of(key: K, read: () => Promise<V>): Promise<V>;
  /** Returns the value if it is cached, so that the caller can update it. */
  known(key: K): Promise<V> | undefined;
  forget(key: K): void;
}

export function memory<K, V>(forMs: number, now: () => Date): Memory<K, V> {
  const entries = new Map<K, { readonly at: number; readonly value: Promise<V> }>();

  function known(key: K): Promise<V> | undefined {
    const entry = entries.get(key);
    return entry && Math.abs(now().getTime() - entry.at) < forMs ? entry.value : undefined;
  }

  return {
    known,
    of(key, read) {
      const remembered = known(key);
      if (remembered) return remembered;
      const entry = { at: now().getTime(), value: read() };
      entries.delete(key);
      if (entries.size >= maxRemembered) entries.delete(entries.keys().next().value!);
      entries.set(key, entry);
      entry.value.catch(() => {
        if (entries.get(key) === entry) entries.delete(key);
      });
      return entry.value;
    },
    forget: (key) => void entries.delete(key),
  };
}
