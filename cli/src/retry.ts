import { setTimeout as delay } from "node:timers/promises";
import { ApiError, mayPass as passes, pauseAfter } from "@service-ci/client";

const firstPauseMs = 250;
const maxPauseMs = 15_000;

/** Reports whether a request that failed this way may succeed later. */
export const mayPass = (error: unknown): boolean =>
  (error instanceof ApiError || error instanceof TypeError) && passes(error);

/** Repeats a request while its errors may pass, and keeps the pauses that the server asks for. */
export async function retried<T>(
  call: () => Promise<T>,
  { signal, onError }: { readonly signal: AbortSignal; readonly onError: (error: unknown) => void },
): Promise<T> {
  for (let usualMs = firstPauseMs; ; usualMs = Math.min(2 * usualMs, maxPauseMs)) {
    try {
      return await call();
    } catch (error) {
      if (signal.aborted || !mayPass(error)) throw error;
      onError(error);
      await delay(pauseAfter(error, usualMs) * (0.75 + Math.random() / 2), undefined, { signal });
    }
  }
}
