const dayMs = 24 * 60 * 60 * 1_000;

/** Returns how long a Retry-After header asks to wait, at most a day; 0 if it is absent or invalid. */
export function retryAfterMs(header: string | undefined, now: Date): number {
  const text = header?.trim() ?? "";
  const waitMs = /^\d+$/.test(text) ? Number(text) * 1_000 : httpDate(text) - now.getTime();
  return waitMs > 0 ? Math.min(waitMs, dayMs) : 0;
}

const asctime = /^\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4}$/;

// Date.parse also accepts texts such as "1.5". RFC 9110 has three forms of dates: two end in GMT, and asctime's means GMT.
const httpDate = (text: string): number => {
  if (asctime.test(text)) return Date.parse(`${text} GMT`);
  return text.endsWith("GMT") ? Date.parse(text) : Number.NaN;
};

const leastSpread = 0.8;

/** No retry is due sooner than this after an attempt. */
export const shortestPauseMs = (pausesMs: readonly number[]): number => leastSpread * Math.min(...pausesMs);

/** Returns undefined after the last failure. `random` (0 to 1) spreads retries of deliveries that failed together. */
export function retryPauseMs(
  pausesMs: readonly number[],
  failures: number,
  random: number,
  atLeastMs: number,
): number | undefined {
  const pause = pausesMs[failures - 1];
  return pause === undefined ? undefined : Math.max(Math.round(pause * (leastSpread + 0.4 * random)), atLeastMs);
}
