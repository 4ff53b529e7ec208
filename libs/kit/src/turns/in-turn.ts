/** Returns a function that runs the tasks of each key one at a time, in order. */
export function inTurn<K>(): <T>(key: K, task: () => Promise<T>) => Promise<T> {
  const latest = new Map<K, Promise<unknown>>();
  return (key, task) => {
    const before = latest.get(key);
    const result = before ? before.then(task, task) : task();
    latest.set(key, result);
    const end = () => {
      if (latest.get(key) === result) latest.delete(key);
    };
    result.then(end, end);
    return result;
  };
}
