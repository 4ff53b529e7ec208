type Search<T> = () => Promise<T | undefined>;

interface Waiting<T> {
  readonly search: Search<T>;
  readonly resolve: (found: T | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Returns a function that runs one search of a key at a time, in order. A search that finds nothing, and so returns undefined,
 * also answers all that were waiting when it began: they would find nothing either.
 */
export function findInTurn<T>(): (key: string, search: Search<T>) => Promise<T | undefined> {
  const queues = new Map<string, Waiting<T>[]>();

  async function runAll(key: string, queue: Waiting<T>[]): Promise<void> {
    for (let first = queue.shift(); first; first = queue.shift()) {
      const { search, resolve, reject } = first;
      const waiting = queue.length;
      try {
        const found = await search();
        resolve(found);
        if (found === undefined) for (const one of queue.splice(0, waiting)) one.resolve(undefined);
      } catch (error) {
        reject(error);
      }
    }
    queues.delete(key);
  }

  return (key, search) =>
    new Promise((resolve, reject) => {
      const queue = queues.get(key);
      if (queue) return void queue.push({ search, resolve, reject });
      const mine = [{ search, resolve, reject }];
      queues.set(key, mine);
      void runAll(key, mine);
    });
}
