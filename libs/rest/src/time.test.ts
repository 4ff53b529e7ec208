import { time, timeOrNull } from "./time.js";

const dayMs = 86_400_000;

test("a time is what toISOString returns", () => {
  const now = Date.UTC(2026, 10, 22, 23, 59, 59, 999);
  const edges = [0, -1, 1, dayMs - 1, -dayMs, now, now + 1, Date.UTC(-1, 0, 1), Date.UTC(12_345, 5, 6, 7, 8, 9, 10)];
  // Steps that share no factor with a day reach every digit.
  const steps = Array.from({ length: 2_000 }, (_, nth) => now - nth * 40_012_009);
  for (const ms of [...edges, ...steps]) expect(time(new Date(ms))).toBe(new Date(ms).toISOString());
});

test("an invalid time throws, and a missing one is null", () => {
  expect(() => time(new Date(Number.NaN))).toThrow(RangeError);
  expect(timeOrNull(undefined)).toBeNull();
});
