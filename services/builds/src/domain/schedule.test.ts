import { nextRun, readSchedule } from "./schedule.js";

describe("nextRun", () => {
  test.each([
    ["daily", "2026-11-21T07:32:10.500Z", "2026-11-22T00:00:00.000Z"],
    ["daily", "2026-11-21T00:00:00.000Z", "2026-11-22T00:00:00.000Z"],
    ["daily", "2026-11-21T23:59:59.999Z", "2026-11-22T00:00:00.000Z"],
    ["daily", "2026-12-31T12:00:00.000Z", "2027-01-01T00:00:00.000Z"],
    ["daily", "2028-02-28T12:00:00.000Z", "2028-02-29T00:00:00.000Z"],
    ["daily", "2027-02-28T12:00:00.000Z", "2027-03-01T00:00:00.000Z"],
    ["daily", "2028-02-29T23:59:59.999Z", "2028-03-01T00:00:00.000Z"],
    // 2026-11-23 is a Monday.
    ["weekly", "2026-11-22T23:59:59.999Z", "2026-11-23T00:00:00.000Z"],
    ["weekly", "2026-11-23T00:00:00.000Z", "2026-11-30T00:00:00.000Z"],
    ["weekly", "2026-11-24T10:00:00.000Z", "2026-11-30T00:00:00.000Z"],
    ["weekly", "2026-11-28T10:00:00.000Z", "2026-11-30T00:00:00.000Z"],
    ["weekly", "2026-12-30T10:00:00.000Z", "2027-01-04T00:00:00.000Z"],
    ["weekly", "2028-02-28T10:00:00.000Z", "2028-03-06T00:00:00.000Z"],
    ["monthly", "2028-01-30T10:00:00.000Z", "2028-02-01T00:00:00.000Z"],
    ["monthly", "2028-02-29T10:00:00.000Z", "2028-03-01T00:00:00.000Z"],
    ["monthly", "2026-12-31T23:59:59.999Z", "2027-01-01T00:00:00.000Z"],
    ["monthly", "2026-11-21T07:32:10.500Z", "2026-12-01T00:00:00.000Z"],
    ["monthly", "2026-12-01T00:00:00.000Z", "2027-01-01T00:00:00.000Z"],
    ["monthly", "2026-01-31T23:59:59.999Z", "2026-02-01T00:00:00.000Z"],
  ] as const)("the next %s run after %s is at %s", (schedule, after, next) => {
    expect(nextRun(schedule, new Date(after)).toISOString()).toBe(next);
  });
});

test.each([
  [undefined, { schedule: "daily" }],
  ["", { schedule: "daily" }],
  ["daily", { schedule: "daily" }],
  ["weekly", { schedule: "weekly" }],
  ["monthly", { schedule: "monthly" }],
  ["Daily", { complaint: "Schedule invalid schedule Daily" }],
  ["hourly", { complaint: "Schedule invalid schedule hourly" }],
  ["toString", { complaint: "Schedule invalid schedule toString" }],
])("the schedule %j is read as %j", (text, expected) => {
  expect(readSchedule(text)).toEqual(expected);
});
