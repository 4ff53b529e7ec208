const maxCached = 10_000;

interface CachedReads<K, V> {
  of(key: K, read: () => Promise<V>): Promise<V>;
  /** Returns the value if it is cached, so that the caller can update it. */
  known(key: K): Promise<V> | undefined;
  forget(key: K): void;
}

/** Caches what was read for a while. Concurrent reads of a key share one read. */
export function cachedReads<K, V>(forMs: number, now: () => Date): CachedReads<K, V> {
  const entries = new Map<K, { readonly at: number; readonly value: Promise<V> }>();

  function known(key: K): Promise<V> | undefined {
    const entry = entries.get(key);
    return entry && Math.abs(now().getTime() - entry.at) < forMs ? entry.value : undefined;
  }

  return {
    known,
    of(key, read) {
      const cached = known(key);
      if (cached) return cached;
      const entry = { at: now().getTime(), value: read() };
      entries.delete(key);
      if (entries.size >= maxCached) entries.delete(entries.keys().next().value!);
      entries.set(key, entry);
      entry.value.catch(() => {
        if (entries.get(key) === entry) entries.delete(key);
      });
      return entry.value;
    },
    forget: (key) => void entries.delete(key),
  };
}
