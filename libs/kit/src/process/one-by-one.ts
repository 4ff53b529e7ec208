interface Waiting<T> {
  readonly task: () => Promise<T | undefined>;
  readonly resolve: (found: T | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Returns a function that runs one task of a key at a time, in order. All tasks of a key look for the same kind of thing: one
 * that finds nothing, and so returns undefined, ends with it all that were waiting when it began.
 */
export function oneByOne<T>(): (key: string, task: () => Promise<T | undefined>) => Promise<T | undefined> {
  const queues = new Map<string, Waiting<T>[]>();

  async function runAll(key: string, queue: Waiting<T>[]): Promise<void> {
    for (let first = queue.shift(); first; first = queue.shift()) {
      const { task, resolve, reject } = first;
      const waiting = queue.length;
      try {
        const found = await task();
        resolve(found);
        if (found === undefined) for (const one of queue.splice(0, waiting)) one.resolve(undefined);
      } catch (error) {
        reject(error);
      }
    }
    queues.delete(key);
  }

  return (key, task) =>
    new Promise((resolve, reject) => {
      const queue = queues.get(key);
      if (queue) return void queue.push({ task, resolve, reject });
      const mine = [{ task, resolve, reject }];
      queues.set(key, mine);
      void runAll(key, mine);
    });
}
