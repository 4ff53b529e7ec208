const dayMs = 24 * 60 * 60 * 1_000;

/** What a Retry-After header asks for, at most a day; 0 for none, and for what cannot be read. */
export function retryAfterMs(header: string | undefined, now: Date): number {
  const text = header?.trim() ?? "";
  const waitMs = /^\d+$/.test(text) ? Number(text) * 1_000 : httpDate(text) - now.getTime();
  return waitMs > 0 ? Math.min(waitMs, dayMs) : 0;
}

// Date.parse also takes what is no HTTP date, such as "1.5": those all end in GMT.
const httpDate = (text: string): number => (text.endsWith("GMT") ? Date.parse(text) : Number.NaN);

/**
 * How long to wait after the `failures`th failed attempt (from 1) of a delivery, in milliseconds;
 * undefined when it was the last. `random` (0 to 1) spreads the pause by a fifth to either side,
 * so that what failed together does not come back together.
 */
export function pauseMs(
  pausesMs: readonly number[],
  failures: number,
  random: number,
  atLeastMs: number,
): number | undefined {
  const pause = pausesMs[failures - 1];
  return pause === undefined ? undefined : Math.max(Math.round(pause * (0.8 + 0.4 * random)), atLeastMs);
}
