interface Reads<V> {
  readonly current: Promise<V>;
  next?: Promise<V> | undefined;
}

/**
 * Lets concurrent reads of a key share their work. A read never joins one that has begun before it, but the next one: what
 * it returns is never older than the call.
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
    running.next ??= running.current.then(beginNext, beginNext);
    return running.next;
  };
}
