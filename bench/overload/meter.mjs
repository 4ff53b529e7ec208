// Counts responses and their times.
import { quantile } from "../statistics.mjs";

/**
 * @typedef {{ status: number, retryAfter: string | null, json: unknown }} Outcome
 * @typedef {ReturnType<typeof meter>} Meter
 */

const maxFailures = 10;
const maxQuoted = 200;

/** Starts a count. Refused requests (429, or 503 with Retry-After) are counted, and not part of the times. */
export const meter = () => {
  /** @type {number[]} */
  const times = [];
  /** @type {Map<string, number>} */
  const failures = new Map();
  let requests = 0;
  let refused = 0;
  let slowest = "";
  let maxMs = 0;
  const fail = (/** @type {string} */ what) => {
    if (failures.has(what) || failures.size < maxFailures) failures.set(what, (failures.get(what) ?? 0) + 1);
  };
  /** @param {string} what @param {number} ms */
  const took = (what, ms) => {
    times.push(ms);
    if (ms <= maxMs) return;
    [maxMs, slowest] = [ms, what];
  };
  /** @param {string} what @param {Outcome} outcome @param {number} ms */
  const count = (what, { status, retryAfter, json }, ms) => {
    requests++;
    const isRefused = status === 429 || (status === 503 && retryAfter);
    if (isRefused) refused++;
    else if (status >= 400) fail(`${what}: ${status} ${JSON.stringify(json)?.slice(0, maxQuoted)}`);
    else took(what, ms);
  };
  return {
    took,
    fail,
    /**
     * Measures a request. One that breaks off is a failure.
     * @template {Outcome} T
     * @param {string} what
     * @param {() => Promise<T>} send
     * @returns {Promise<T | undefined>}
     */
    async measure(what, send) {
      const from = performance.now();
      try {
        const outcome = await send();
        count(what, outcome, performance.now() - from);
        return outcome;
      } catch (error) {
        requests++;
        fail(`${what}: ${/** @type {Error} */ (error).message}`);
        return undefined;
      }
    },
    failures: () => [...failures].map(([what, times]) => (times > 1 ? `${what} (${times} times)` : what)),
    figures: () => ({ requests, refused, p99Ms: quantile(times, 0.99), maxMs, slowest }),
  };
};
