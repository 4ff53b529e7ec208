import type { ServerResponse } from "node:http";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { Refusal } from "../http/answer.js";

const windowMs = 60_000;
/** Tokens or addresses with their own count in a minute. Further ones share one count. */
const maxKeys = fixedLimit({
  max: 100_000,
  about: "tokens or addresses whose requests are counted one by one in a minute",
  effect: "further ones share one count",
});

/** Counts a request, sets the RateLimit headers, and throws 429 beyond the limit. A `cost` of 0 counts nothing. */
export type RateLimit = (key: number | string, response: ServerResponse, cost?: 0 | 1) => void;

/**
 * Limits requests per minute and key, counted in this process; 0 means no limit. The headers follow
 * draft-ietf-httpapi-ratelimit-headers-10; `name` is the policy's name.
 */
export function rateLimit(name: string, perMinute: number, now: () => number = Date.now): RateLimit {
  let window = 0;
  let counts = new Map<number | string, number>();
  return (key, response, cost = 1) => {
    if (perMinute === 0) return;
    const at = now();
    const current = Math.floor(at / windowMs);
    if (current !== window) {
      window = current;
      counts = new Map();
    }
    const counted = counts.has(key) || counts.size < maxKeys ? key : "others";
    const count = (counts.get(counted) ?? 0) + cost;
    if (cost === 0 && count <= perMinute) return;
    counts.set(counted, count);
    const leftSeconds = Math.ceil(((current + 1) * windowMs - at) / 1_000);
    response.setHeader("RateLimit-Policy", `"${name}";q=${perMinute};w=${windowMs / 1_000}`);
    response.setHeader("RateLimit", `"${name}";r=${Math.max(perMinute - count, 0)};t=${leftSeconds}`);
    if (count > perMinute) throw new Refusal(429, "Too many requests", { "Retry-After": String(leftSeconds) });
  };
}
