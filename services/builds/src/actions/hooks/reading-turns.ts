import { fairly } from "@ci/kit/process/fairly";
import { Fault } from "@ci/kit/rpc/fault";

const refusal = "Too many requests";
/** Limits the commits that are read at a time, because each takes memory. */
export const inReadingTurn = fairly<number>(8, 16, refusal);

export const isBusy = (error: unknown): boolean => error instanceof Fault && error.code === "exhausted";

/** Runs a task when its turn comes. `maxMs` includes the wait. Throws Fault `exhausted` if the turn comes too late. */
export function inReadingTurnWithin<T>(
  userId: number,
  maxMs: number,
  signal: AbortSignal,
  task: (leftMs: number) => Promise<T>,
): Promise<T> {
  const from = performance.now();
  const over = AbortSignal.any([signal, AbortSignal.timeout(maxMs)]);
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new Fault("exhausted", refusal));
    over.addEventListener("abort", giveUp, { once: true });
    const begin = () => {
      over.throwIfAborted();
      over.removeEventListener("abort", giveUp);
      return task(Math.max(1, Math.ceil(maxMs - (performance.now() - from))));
    };
    inReadingTurn(userId, begin).then(resolve, reject);
  });
}
