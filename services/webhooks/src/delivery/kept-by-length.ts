interface Kept<T> {
  readonly value: Promise<T>;
  /** 0 until it is there. */
  length: number;
}

/** Values in memory by key, with a limited total length. The least recently kept ones are dropped, and those that fail. */
export interface KeptByLength<T> {
  keep(key: string, value: Promise<T>): void;
  /** Returns and forgets a value. */
  take(key: string): Promise<T> | undefined;
}

export function keptByLength<T extends { readonly length: number } | undefined>(maxLength: number): KeptByLength<T> {
  const kept = new Map<string, Kept<T>>();
  let total = 0;

  function take(key: string): Promise<T> | undefined {
    const taken = kept.get(key);
    kept.delete(key);
    total -= taken?.length ?? 0;
    return taken?.value;
  }

  function count(key: string, entry: Kept<T>, value: T): void {
    if (kept.get(key) !== entry) return;
    if (value === undefined) return void take(key);
    entry.length = value.length;
    total += value.length;
    for (const oldest of kept.keys()) {
      if (total <= maxLength) break;
      take(oldest);
    }
  }

  return {
    take,
    keep(key, value) {
      take(key);
      const entry: Kept<T> = { value, length: 0 };
      kept.set(key, entry);
      value.then(
        (found) => count(key, entry, found),
        () => {
          if (kept.get(key) === entry) take(key);
        },
      );
    },
  };
}
