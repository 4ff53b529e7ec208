import { latestDueMs, nextDueMs, waitMs } from "./pace.js";

/** Makes attempts without a pause, whenever one may begin. Returns their times, and how often it had to wait. */
function send(perSecond: number, count: number) {
  const times: number[] = [];
  let [nowMs, dueMs, waits] = [0, 0, 0];
  while (times.length < count) {
    const pauseMs = waitMs(dueMs, nowMs);
    if (pauseMs > 0) waits++;
    nowMs += pauseMs;
    times.push(nowMs);
    dueMs = nextDueMs(dueMs, nowMs, perSecond);
    expect(dueMs - nowMs).toBeLessThanOrEqual(latestDueMs(perSecond));
    nowMs += 0.1;
  }
  return { times, waits };
}

test.each([1, 2, 7, 10, 50, 1_000])("%d a second are the pace, with a burst of a tenth and one", (perSecond) => {
  const { times, waits } = send(perSecond, 5 * perSecond);
  for (const from of times) {
    const within = times.filter((at) => at >= from && at < from + 1_000).length;
    expect(within).toBeLessThanOrEqual(perSecond + perSecond / 10 + 1);
  }
  expect(times.at(-1)).toBeGreaterThan(3_800);
  expect(times.at(-1)).toBeLessThan(5_000);
  expect(waits).toBeLessThanOrEqual(50);
});

test("after a rest the first attempt does not wait", () => expect(waitMs(1_000, 5_000)).toBe(0));
