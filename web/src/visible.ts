/** Resolves when the page is visible, or at the signal. */
export async function visible(signal: AbortSignal): Promise<void> {
  while (document.hidden && !signal.aborted)
    await new Promise<void>((resolve) => {
      document.addEventListener("visibilitychange", () => resolve(), { once: true, signal });
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
}

/** Returns a signal that aborts with `signal`, or when the page is hidden. */
export function untilHidden(signal: AbortSignal): AbortSignal {
  const hidden = new AbortController();
  const either = AbortSignal.any([signal, hidden.signal]);
  const check = () => document.hidden && hidden.abort();
  document.addEventListener("visibilitychange", check, { signal: either });
  check();
  return either;
}
