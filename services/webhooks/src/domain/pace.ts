import { fixedLimit } from "@ci/kit/process/fixed-limit";

export const maxPerSecond = fixedLimit({
  max: 1_000,
  about: "attempts per second that the rate limit of a webhook allows",
  refusal: "Per_second must be a whole number from 0 to N",
});

/** An attempt may be early by this, so that one wait serves several attempts. */
const earlyMs = 100;

const intervalMs = (perSecond: number): number => 1_000 / perSecond;

/** Returns when the attempt after one at `nowMs` is due, if that one was due at `dueMs`. */
export const nextDueMs = (dueMs: number, nowMs: number, perSecond: number): number =>
  Math.max(dueMs, nowMs) + intervalMs(perSecond);

/** Returns how long to wait for an attempt that is due at `dueMs`; 0 if it may begin. */
export const waitMs = (dueMs: number, nowMs: number): number => (dueMs - nowMs < earlyMs ? 0 : dueMs - nowMs);

/** Returns how long after an attempt the next one is due at the latest, whatever came before it. */
export const latestDueMs = (perSecond: number): number => earlyMs + intervalMs(perSecond);
