/** Why a run stops before its jobs are done. `lost`: the build belongs to somebody else by now, nothing is reported. */
export type Ending = "killed" | "timed_out" | "lost";

/** What the signals of a run are aborted with; `why` is a sentence for the user. */
export class Ended extends Error {
  constructor(
    readonly ending: Ending,
    readonly why?: string,
  ) {
    super(ending);
  }
}

/** How a run was ended, if it was. */
export const endingOf = (signal: AbortSignal): Ending | undefined =>
  signal.aborted ? (signal.reason instanceof Ended ? signal.reason.ending : "lost") : undefined;

/** What a timer can hold: some 24 days. */
export const maxTimerMs = 2 ** 31 - 1;

/** Returns a signal that fires with its parent, or as `timed_out` when the time is over. */
export function withTimeout(
  ms: number,
  parent: AbortSignal,
  why?: string,
): Disposable & { readonly signal: AbortSignal } {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new Ended("timed_out", why)), Math.min(ms, maxTimerMs));
  return {
    signal: AbortSignal.any([parent, late.signal]),
    [Symbol.dispose]: () => clearTimeout(timer),
  };
}

/** What a promise resolves with, or the reason of the signal as soon as that fires. */
export async function raceAbort<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  // It may fail later, when nobody waits any more.
  promise.catch(() => undefined);
  signal.throwIfAborted();
  let stop = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
