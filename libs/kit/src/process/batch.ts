import { setTimeout as delay } from "node:timers/promises";
import { isMongoAway } from "../mongo/mongo-away.js";

interface Waiting<A, R> {
  readonly ask: A;
  resolve(answer: R): void;
  reject(error: unknown): void;
}

/**
 * Joins calls: what is asked while `work` is under way, or within `waitMs` after the first, goes together in the next
 * one, at most `most` of them. So the more there is to do, the more is done at once. Answers come in order of the asks.
 * Work that fails for several is repeated for each alone, so that one cannot spoil it for others, unless the database is
 * away.
 */
export function batched<A, R>(
  { most, waitMs }: { readonly most: number; readonly waitMs: number },
  work: (asks: readonly A[]) => Promise<readonly R[]>,
): (ask: A) => Promise<R> {
  const waiting: Waiting<A, R>[] = [];
  let working = false;

  async function answer(some: readonly Waiting<A, R>[]): Promise<void> {
    try {
      const answers = await work(some.map(({ ask }) => ask));
      for (const [nth, one] of some.entries()) one.resolve(answers[nth]!);
    } catch (error) {
      // Where nobody is spoiling it for others, each alone would only wait in vain, one after the other.
      if (some.length === 1 || isMongoAway(error)) for (const one of some) one.reject(error);
      else for (const one of some) await answer([one]);
    }
  }

  async function workOff(): Promise<void> {
    while (waiting.length > 0) {
      // With nothing to wait for, what is asked in the same moment still goes along.
      await (waitMs > 0 ? delay(waitMs) : new Promise(setImmediate));
      await answer(waiting.splice(0, most));
    }
    working = false;
  }

  return (ask) =>
    new Promise((resolve, reject) => {
      waiting.push({ ask, resolve, reject });
      if (working) return;
      working = true;
      void workOff();
    });
}
