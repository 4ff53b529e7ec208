import { retryAfterMs, retryPauseMs } from "./backoff.js";

const now = new Date("2026-01-02T03:04:05.000Z");
const dayMs = 86_400_000;

test.each([
  [undefined, 0],
  ["", 0],
  ["7", 7_000],
  [" 7 ", 7_000],
  ["0", 0],
  ["-7", 0],
  ["1.5", 0],
  ["soon", 0],
  ["999999", dayMs],
  ["Fri, 02 Jan 2026 03:05:05 GMT", 60_000],
  ["Fri, 02 Jan 2026 03:03:05 GMT", 0],
  ["Fri, 02 Jan 2027 03:03:05 GMT", dayMs],
  ["Friday, 02-Jan-26 03:05:05 GMT", 60_000],
  ["Fri Jan  2 03:05:05 2026", 60_000],
  ["Fri Jan  2 03:05:05 2026 +0100", 0],
  ["2026-01-02T03:05:05Z", 0],
])("Retry-After %j is %d ms", (header, expected) => {
  expect(retryAfterMs(header, now)).toBe(expected);
});

const pauses = [5_000, 300_000];

test.each([
  ["the first, shortened most", 1, 0, 0, 4_000],
  ["the first, as it is", 1, 0.5, 0, 5_000],
  ["the first, lengthened most", 1, 1, 0, 6_000],
  ["the second", 2, 0.5, 0, 300_000],
  ["none is left", 3, 0.5, 0, undefined],
  ["the receiver asks for longer", 1, 0.5, 60_000, 60_000],
  ["the receiver asks for shorter", 1, 0.5, 1_000, 5_000],
  ["none is left, no matter what the receiver asks for", 3, 0.5, 60_000, undefined],
])("the retry pause: %s", (_, failures, random, atLeastMs, expected) => {
  expect(retryPauseMs(pauses, failures, random, atLeastMs)).toBe(expected);
});
