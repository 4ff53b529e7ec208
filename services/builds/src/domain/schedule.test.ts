import { isSameTiming, nextRun, readTiming } from "./schedule.js";

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
    ["hourly", "2026-12-31T23:00:00.000Z", "2027-01-01T00:00:00.000Z"],
    ["hourly", "2026-11-21T07:59:59.999Z", "2026-11-21T08:00:00.000Z"],
  ] as const)("the next %s run after %s is at %s", (schedule, after, next) => {
    expect(nextRun({ schedule }, new Date(after)).toISOString()).toBe(next);
  });
});

describe("an expression in a time zone", () => {
  test.each([
    ["30 4 * * 1-5", "UTC", "2026-11-20T04:30:00Z", "2026-11-23T04:30:00.000Z"],
    ["*/20 * * * *", undefined, "2026-11-20T04:30:00Z", "2026-11-20T04:40:00.000Z"],
    ["0 9 * * MON", "America/New_York", "2026-07-01T00:00:00Z", "2026-07-06T13:00:00.000Z"],
    ["0 9 * * MON", "America/New_York", "2026-12-01T00:00:00Z", "2026-12-07T14:00:00.000Z"],
    ["0 23 * * *", "America/New_York", "2027-01-01T03:00:00Z", "2027-01-01T04:00:00.000Z"],
    ["0 3 * * *", "Asia/Tokyo", "2026-12-31T16:00:00Z", "2026-12-31T18:00:00.000Z"],
    // Clocks in Berlin skip 02:00 to 03:00.
    ["30 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", "2026-03-29T01:00:00.000Z"],
    ["30 2 * * *", "Europe/Berlin", "2026-03-29T01:00:00Z", "2026-03-30T00:30:00.000Z"],
    // Clocks in Berlin show 02:00 to 03:00 twice: the first time counts.
    ["30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z", "2026-10-25T00:30:00.000Z"],
    ["30 2 * * *", "Europe/Berlin", "2026-10-25T00:30:00Z", "2026-10-26T01:30:00.000Z"],
    ["0 2,14 * * *", "Europe/Berlin", "2026-03-28T14:00:00Z", "2026-03-29T01:00:00.000Z"],
    ["0,30 2 * * *", "Europe/Berlin", "2026-03-28T14:00:00Z", "2026-03-29T01:00:00.000Z"],
    ["0,30 2 * * *", "Europe/Berlin", "2026-03-29T01:00:00Z", "2026-03-30T00:00:00.000Z"],
    ["*/20 2 * * *", "Europe/Berlin", "2026-03-28T14:00:00Z", "2026-03-29T01:00:00.000Z"],
    ["0 2-23/6 * * *", "Europe/Berlin", "2026-03-28T20:00:00Z", "2026-03-29T01:00:00.000Z"],
    ["0 */2 * * *", "Europe/Berlin", "2026-03-28T23:00:00Z", "2026-03-29T01:00:00.000Z"],
    ["30 * * * *", "Europe/Berlin", "2026-03-29T00:30:00Z", "2026-03-29T01:30:00.000Z"],
    ["0 0,12 * * *", "America/Santiago", "2026-09-05T18:00:00Z", "2026-09-06T04:00:00.000Z"],
    // Clocks in Ittoqqortoormiit skip the last hour of a Saturday.
    ["30 23 * * *", "America/Scoresbysund", "2026-03-28T12:00:00Z", "2026-03-29T01:00:00.000Z"],
    // Clocks skip every time of these schedules.
    ["* 2 * 3 0L", "Europe/Berlin", "2026-11-28T00:00:00Z", "2027-03-28T01:00:00.000Z"],
    ["* 1,2 * 3 0L", "Antarctica/Troll", "2026-11-28T00:00:00Z", "2027-03-28T01:00:00.000Z"],
  ])("%s in %s after %s comes at %s", (expression, timezone, after, next) => {
    expect(nextRun({ schedule: "custom", expression, timezone }, new Date(after)).toISOString()).toBe(next);
  });

  test.each([
    // Clocks in Berlin show 02:00 to 03:00 twice, those on Lord Howe Island 01:30 to 02:00.
    ["0,30 2 * * *", "Europe/Berlin", "2026-10-24T22:30:00Z", ["25T00:00", "25T00:30", "26T01:00"]],
    ["0 2,3 * * *", "Europe/Berlin", "2026-10-24T22:30:00Z", ["25T00:00", "25T02:00", "26T01:00"]],
    ["0 1-3 * * *", "Europe/Berlin", "2026-10-24T22:30:00Z", ["24T23:00", "25T00:00", "25T02:00", "26T00:00"]],
    ["15,45 1 * * *", "Australia/Lord_Howe", "2026-04-04T12:00:00Z", ["04T14:15", "04T14:45", "05T14:45"]],
    ["0 * * * *", "Europe/Berlin", "2026-10-24T23:30:00Z", ["25T00:00", "25T01:00", "25T02:00"]],
    ["*/30 */2 * * *", "Europe/Berlin", "2026-10-24T23:30:00Z", ["25T00:00", "25T00:30", "25T01:00", "25T01:30"]],
  ])("%s in %s after %s comes once for each time that the clocks show, unless it is for every hour", (...row) => {
    const [expression, timezone, after, expected] = row;
    const runs = [new Date(after)];
    for (const _ of expected) runs.push(nextRun({ schedule: "custom", expression, timezone }, runs.at(-1)!));
    expect(runs.slice(1).map((run) => run.toISOString())).toEqual(
      expected.map((run) => expect.stringContaining(`-${run}:00`)),
    );
  });

  test("midnight that the clocks skip is the next time that exists", () => {
    const timing = { schedule: "daily", timezone: "Africa/Cairo" } as const;
    expect(nextRun(timing, new Date("2026-04-23T12:00:00Z")).toISOString()).toBe("2026-04-23T22:00:00.000Z");
  });
});

test.each([
  ["0 0 29 2 *", "2096-03-01T00:00:00Z", "2104-02-29T00:00:00.000Z"],
  ["0 0 * 2 1#5", "2072-03-01T00:00:00Z", "2112-02-29T00:00:00.000Z"],
])("%s after %s comes at %s, however rare it is", (expression, after, next) => {
  expect(nextRun({ schedule: "custom", expression }, new Date(after)).toISOString()).toBe(next);
});

describe("readTiming", () => {
  const daily = { schedule: "daily", expression: undefined, timezone: undefined };

  test.each([
    ["", "", daily],
    ["daily", "", daily],
    ["hourly", "", { ...daily, schedule: "hourly" }],
    ["weekly", "Europe/Berlin", { ...daily, schedule: "weekly", timezone: "Europe/Berlin" }],
    ["  0  4 * *\t1 ", "", { ...daily, schedule: "custom", expression: "0 4 * * 1" }],
  ])("reads %j in %j", (schedule, timezone, timing) => {
    expect(readTiming(schedule, timezone)).toEqual({ timing, complaints: { schedule: [], timezone: [] } });
  });

  test.each([
    ["Daily", "Schedule invalid schedule Daily"],
    ["custom", "Schedule invalid schedule custom"],
    ["toString", "Schedule invalid schedule toString"],
    ["* * * *", "Schedule invalid schedule * * * *"],
    ["* * * * * *", "Schedule invalid schedule * * * * * *"],
    ["? * * * *", "Schedule invalid schedule ? * * * *"],
    ["@daily", "Schedule invalid schedule @daily"],
    ["2026-01-01T00:00:00", "Schedule invalid schedule 2026-01-01T00:00:00"],
    ["61 * * * *", "Schedule invalid schedule 61 * * * *"],
    ["*/0 * * * *", "Schedule invalid schedule */0 * * * *"],
    ["0 0 30 2 *", "Schedule 0 0 30 2 * never comes; choose a day that exists"],
    ["1,".repeat(200), "Schedule cannot be longer than 255 characters in length"],
  ])("complains about the schedule %j", (schedule, complaint) => {
    expect(readTiming(schedule).complaints).toEqual({ schedule: [complaint], timezone: [] });
  });

  test.each(["Mars/Phobos", "+01:00", "Europe/Berlin\n", "$(id)"])("complains about the time zone %j", (timezone) => {
    const { timing, complaints } = readTiming("61 * * * *", timezone);
    expect(timing).toBeUndefined();
    expect(complaints.timezone).toEqual([expect.stringContaining("Timezone invalid timezone")]);
    expect(complaints.schedule).toHaveLength(1);
  });

  test("keeps what a cron job was where nothing is given", () => {
    const was = { schedule: "custom", expression: "0 4 * * *", timezone: "Asia/Tokyo" } as const;
    expect(readTiming("", "", was).timing).toEqual(was);
    expect(readTiming("hourly", "", was).timing).toEqual({ ...was, schedule: "hourly", expression: undefined });
    expect(readTiming("", "UTC", was).timing).toEqual({ ...was, timezone: "UTC" });
    expect(isSameTiming(was, { ...was })).toBe(true);
    expect(isSameTiming(was, { ...was, timezone: "UTC" })).toBe(false);
  });
});
