/** Why a run stops early. After `lost` nothing is reported: another runner has the build. */
type Ending = "killed" | "timed_out" | "lost";

/** The abort reason of a run's signals; `why` is a sentence for the user. */
export class Ended extends Error {
  constructor(
    readonly ending: Ending,
    readonly why?: string,
  ) {
    super(ending);
  }
}

export const endingOf = (signal: AbortSignal): Ending | undefined =>
  signal.aborted ? (signal.reason instanceof Ended ? signal.reason.ending : "lost") : undefined;

/** The longest timer in Node: about 24 days. */
export const maxTimerMs = 2 ** 31 - 1;

/** Returns a signal that aborts with its parent, or as `timed_out` after `ms`. */
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

/** Resolves with the promise, or rejects with the signal's reason once it aborts. */
export async function raceAbort<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  // It may reject later, when nobody awaits it.
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
