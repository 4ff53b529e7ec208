import { nextCheckMs } from "./report-status.js";

const [minuteMs, dayMs] = [60_000, 86_400_000];

test.each([
  [0, minuteMs],
  [100 * minuteMs, minuteMs],
  [dayMs, dayMs / 100],
  [300 * dayMs, dayMs],
])("a delivery of %d ms whose builds have not ended is checked again after %d ms", (age, ms) =>
  expect(nextCheckMs({ createdAt: new Date(0) }, new Date(age))).toBe(ms),
);
