interface Reads<V> {
  readonly current: Promise<V>;
  next?: Promise<V> | undefined;
}

/** A Fault with this code says nothing about the key: the one that was asked cannot answer anybody now. */
const isAway = (error: unknown): boolean => (error as { readonly code?: unknown } | undefined)?.code === "unavailable";

/**
 * Lets concurrent reads of a key share their work. A read never joins one that has begun before it, but the next one: what
 * it returns is never older than the call. If the earlier one fails because its peer is unavailable, the next one fails at
 * once, so that nobody waits twice.
 */
export function sharedReads<V>(): (key: string, read: () => Promise<V>) => Promise<V> {
  const reads = new Map<string, Reads<V>>();

  function begin(key: string, read: () => Promise<V>): Promise<V> {
    const current = read();
    const mine: Reads<V> = { current };
    reads.set(key, mine);
    const end = () => {
      if (!mine.next) reads.delete(key);
    };
    current.then(end, end);
    return current;
  }

  return (key, read) => {
    const running = reads.get(key);
    if (!running) return begin(key, read);
    const beginNext = () => begin(key, read);
    const afterFailure = (error: unknown) => {
      if (!isAway(error)) return beginNext();
      reads.delete(key);
      throw error;
    };
    running.next ??= running.current.then(beginNext, afterFailure);
    return running.next;
  };
}
