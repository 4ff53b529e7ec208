import { raceAbort } from "../../work/ended.js";

/** One piece of work that several wait for. */
export interface Shared {
  /** Waits for its end. It is stopped when nobody waits any more. */
  join(signal: AbortSignal): Promise<void>;
}

/** Starts the work; `onOver` is called when it has ended, however it did, or when it is given up. */
export function shared(work: (stop: AbortSignal) => Promise<void>, onOver: () => unknown): Shared {
  const stop = new AbortController();
  let waiting = 0;
  const done = work(stop.signal).finally(() => onOver());
  done.catch(() => undefined);
  return {
    async join(signal) {
      waiting++;
      try {
        await raceAbort(signal, done);
      } finally {
        waiting--;
        if (waiting === 0) {
          // Who comes from now on starts anew.
          onOver();
          stop.abort(new Error("nobody waits any more"));
        }
      }
    },
  };
}
