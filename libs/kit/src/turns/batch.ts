import { isMongoAway } from "../mongo/mongo-away.js";

interface Pending<A, R> {
  readonly ask: A;
  resolve(result: R): void;
  reject(error: unknown): void;
}

export interface Batched<A, R> {
  (ask: A): Promise<R>;
  /** Ends the current wait for further calls. */
  hurry(): void;
}

interface BatchLimits<A> {
  readonly maxItems: number;
  /** How many batches may be under way; 1 if absent. Batches begin in the order of their calls. */
  readonly atOnce?: number;
  readonly waitMs: number;
  readonly maxBytes?: number;
  readonly bytesOf?: (ask: A) => number;
}

/** Batches calls. A failed batch is repeated one by one, so that one call cannot fail the others. */
export function batched<A, R>(
  { maxItems, waitMs, atOnce = 1, maxBytes = Number.POSITIVE_INFINITY, bytesOf = () => 0 }: BatchLimits<A>,
  work: (asks: readonly A[]) => Promise<readonly R[]>,
): Batched<A, R> {
  const pending: Pending<A, R>[] = [];
  let running = 0;
  let hurried = false;
  let endWait = () => {};

  const gather = () =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, waitMs);
      endWait = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  async function run(batch: readonly Pending<A, R>[]): Promise<void> {
    try {
      const results = await work(batch.map(({ ask }) => ask));
      for (const [nth, one] of batch.entries()) one.resolve(results[nth]!);
    } catch (error) {
      if (batch.length === 1 || isMongoAway(error)) for (const one of batch) one.reject(error);
      else for (const one of batch) await run([one]);
    }
  }

  function takeNext(): Pending<A, R>[] {
    let bytes = 0;
    let count = 0;
    for (const { ask } of pending.slice(0, maxItems)) {
      bytes += bytesOf(ask);
      if (count > 0 && bytes > maxBytes) break;
      count++;
    }
    return pending.splice(0, count);
  }

  async function runAll(): Promise<void> {
    while (pending.length > 0) {
      await (waitMs > 0 && !hurried ? gather() : new Promise(setImmediate));
      hurried = false;
      if (pending.length > 0) await run(takeNext());
    }
    running--;
  }

  const add = (ask: A) =>
    new Promise<R>((resolve, reject) => {
      pending.push({ ask, resolve, reject });
      if (running === atOnce) return;
      running++;
      void runAll();
    });
  const hurry = () => {
    hurried = pending.length > 0;
    endWait();
  };
  return Object.assign(add, { hurry });
}
