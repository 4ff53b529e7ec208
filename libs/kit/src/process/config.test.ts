import { parseDuration, parseSize, readSettings, settingsAsked } from "./config.js";

it.each([
  ["250ms", 250],
  ["15s", 15_000],
  ["5min", 300_000],
  ["2h", 7_200_000],
  ["30d", 2_592_000_000],
])("reads the time %s", (text, ms) => expect(parseDuration(text)).toBe(ms));

it.each([
  ["512", 512],
  ["64KiB", 65_536],
  ["5MiB", 5_242_880],
  ["20GiB", 21_474_836_480],
])("reads the size %s", (text, bytes) => expect(parseSize(text)).toBe(bytes));

it("takes what is set, else the default", () => {
  const config = readSettings({ NAME: "x", COUNT: "7", LIST: "a, b,,c", ON: "1" }, (s) => ({
    name: s.str("NAME", "it"),
    count: s.int("COUNT", "it"),
    list: s.list("LIST", "it"),
    on: s.bool("ON", "it", false),
    waitMs: s.duration("WAIT", "it", "2s"),
    size: s.size("SIZE", "it", "1KiB"),
    maybe: s.maybe("NOTHING", "it"),
  }));
  expect(config).toEqual({ name: "x", count: 7, list: ["a", "b", "c"], on: true, waitMs: 2_000, size: 1024 });
});

it("names everything that is wrong at once", () => {
  const read = () =>
    readSettings({ COUNT: "-1", WAIT: "soon", SIZE: "5MB", ON: "yes", EMPTY: "" }, (s) => [
      s.str("EMPTY", "it"),
      s.int("COUNT", "it"),
      s.duration("WAIT", "it", "1s"),
      s.size("SIZE", "it", "1"),
      s.bool("ON", "it", true),
    ]);
  expect(read).toThrow(
    [
      "Settings:",
      "  EMPTY is required",
      '  COUNT must be a whole number, not "-1"',
      '  WAIT must be a time such as 250ms, 15s, 5min, 2h or 30d, not "soon"',
      '  SIZE must be a size such as 512, 64KiB, 5MiB or 1GiB, not "5MB"',
      '  ON must be true or false, not "yes"',
    ].join("\n"),
  );
});

it("knows what has been asked of an environment, also where that was wrong", () => {
  const env = { COUNT: "many" };
  const read = () =>
    readSettings(env, (s) => [s.int("COUNT", "how many", 2), s.str("WHERE", "where it is"), s.maybe("TO", "who")]);
  expect(read).toThrow("COUNT");
  expect(settingsAsked(env)).toEqual([
    { name: "COUNT", about: "how many", required: false, fallback: "2" },
    { name: "WHERE", about: "where it is", required: true, fallback: undefined },
    { name: "TO", about: "who", required: false },
  ]);
});
