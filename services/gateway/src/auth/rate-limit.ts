import { Refusal } from "../http/answer.js";

const minuteMs = 60_000;

/** Returns a function that throws 429 for a token beyond its limit, counted in this process; 0 means no limit. */
export function rateLimit(perMinute: number, now: () => number = Date.now): (tokenId: number) => void {
  let minute = 0;
  let counts = new Map<number, number>();
  return (tokenId) => {
    if (perMinute === 0) return;
    const at = now();
    const current = Math.floor(at / minuteMs);
    if (current !== minute) {
      minute = current;
      counts = new Map();
    }
    const count = (counts.get(tokenId) ?? 0) + 1;
    counts.set(tokenId, count);
    if (count <= perMinute) return;
    const leftSeconds = Math.ceil(((current + 1) * minuteMs - at) / 1_000);
    throw new Refusal(429, "Too many requests", { "Retry-After": String(leftSeconds) });
  };
}
