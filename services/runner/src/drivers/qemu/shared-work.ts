import { raceAbort } from "../../endings/ended.js";

export interface SharedWork {
  /** Waits for the end. The work stops when nobody waits any more. */
  join(signal: AbortSignal): Promise<void>;
}

/** Starts the work. Calls `onOver` when it has ended or is abandoned. */
export function sharedWork(work: (stop: AbortSignal) => Promise<void>, onOver: () => unknown): SharedWork {
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
          // A later caller starts new work.
          onOver();
          stop.abort(new Error("nobody waits any more"));
        }
      }
    },
  };
}
