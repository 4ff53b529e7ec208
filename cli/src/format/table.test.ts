import { ioOf } from "../../test/_io.js";
import { printFields, printRecord, printTable } from "./table.js";
import { duration, relative, size } from "./units.js";
import { cut, widthOf } from "./width.js";

const user = { id: 1, username: "ann" };
const records = [
  { id: 3, status: "failed", size: 2_048, name: "a\tb\u001b[31m\u202e", user, namespace: { path: "team/web", user } },
  { id: 12, status: "passed", size: null, name: "a longer name than the terminal has room for", user, namespace: null },
];
const columns = ["id", "status", "size", "name", "namespace"];
const red = "\u001b[31m";

test("a pipe gets rows with tabs, without headings and colors", async () => {
  const io = ioOf();
  await printTable(io, records, columns);
  expect(io.stdout.text).toBe(
    "3\tfailed\t2048\ta\\tb\\u001b[31m\\u202e\tteam/web@ann\n" +
      "12\tpassed\t\ta longer name than the terminal has room for\t\n",
  );
});

test("a terminal gets aligned columns with headings and colors, cut to its width", async () => {
  const io = ioOf({ tty: true, columns: 50 });
  await printTable(io, records, columns);
  expect(io.stdout.text).toContain(`${red}failed\u001b[0m`);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colors
  const lines = io.stdout.text.replace(/\u001b\[\d+m/g, "").split("\n");
  expect(lines[0]).toBe("ID  STATUS  SIZE     NAME             NAMESPACE");
  expect(lines[1]).toMatch(/^3 {3}failed {2}2\.0 KiB {2}a\\tb/);
  expect(lines[2]).toMatch(/^12 {2}passed {11}a longer.*…$/);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(50);
});

test("columns are aligned and cut by what a character takes on a terminal", async () => {
  const family = "👨‍👩‍👧";
  const io = ioOf({ tty: true, columns: 16, env: { NO_COLOR: "1" } });
  const names = ["日本語テスト", family.repeat(5), "e\u0301e\u0301e\u0301", "plain"];
  await printTable(
    io,
    names.map((name, at) => ({ name, number: at })),
    ["name", "number"],
  );
  expect(io.stdout.text.split("\n")).toEqual([
    "NAME      NUMBER",
    "日本語…   0",
    `${family.repeat(3)}…   1`,
    "e\u0301e\u0301e\u0301       2",
    "plain     3",
    "",
  ]);
});

test("a text is measured only until it is too wide", () => {
  const text = "日".repeat(4_096);
  expect([widthOf(text), widthOf(text, 9), cut(text, 9)]).toEqual([8_192, 10, "日日日日…"]);
});

test("of texts that are too wide, one keeps the room that is left", async () => {
  const io = ioOf({ tty: true, columns: 30, env: { NO_COLOR: "1" } });
  await printTable(io, [{ id: 7, name: "é".repeat(1_000), about: "ü".repeat(500) }], ["id", "name", "about"]);
  expect(io.stdout.text.split("\n")[1]).toBe(`7   ${"é".repeat(7)}…  ${"ü".repeat(15)}…`);
});

test.each([{ NO_COLOR: "1" }, { TERM: "dumb" }])("%j leaves colors out", async (env) => {
  const io = ioOf({ tty: true, env });
  await printTable(io, records, columns);
  expect(io.stdout.text).not.toContain("\u001b");
});

test("an empty list says so on a terminal, and nothing to a pipe", async () => {
  const [terminal, pipe] = [ioOf({ tty: true }), ioOf()];
  for (const io of [terminal, pipe]) await printTable(io, [], columns);
  expect([terminal.stdout.text, pipe.stdout.text]).toEqual(["Nothing found\n", ""]);
});

test("a record is printed without ids of related records and addresses of collections", async () => {
  const io = ioOf();
  const more = {
    user_id: 1,
    tags_url: "http://ci.test/tags",
    hook_url: "http://ci.test/hooks/1",
    manifest: "a: 1\nb: 2\n",
  };
  await printRecord(io, { ...records[0], ...more, description: null });
  expect(io.stdout.text.split("\n")).toEqual([
    "id         3",
    "status     failed",
    "size       2048",
    "name       a\\tb\\u001b[31m\\u202e",
    "user       ann",
    "namespace  team/web@ann",
    "hook_url   http://ci.test/hooks/1",
    "manifest   a: 1",
    "           b: 2",
    "",
  ]);
});

test("a terminal gets the duration of a delivery with its unit, a pipe in nanoseconds", async () => {
  const shown = async (tty: boolean, duration: number) => {
    const io = ioOf({ tty });
    await printRecord(io, { duration });
    return io.stdout.text;
  };
  expect(await shown(true, 2_800_000)).toBe("duration  3 ms\n");
  expect(await shown(true, 120_393_502)).toBe("duration  120 ms\n");
  expect(await shown(true, 999_600_000)).toBe("duration  1.0 s\n");
  expect(await shown(false, 120_393_502)).toBe("duration  120393502\n");
});

test("each build and reason of a record has its line", async () => {
  const io = ioOf();
  await printRecord(io, { events: ["a", "b"], reasons: ["one, two", "three"], builds: [] });
  expect(io.stdout.text).toBe("events   a, b\nreasons  one, two\n         three\n");
});

test("a delivery in a record is what it made, or why it made nothing", async () => {
  const io = ioOf();
  for (const [builds, reasons] of [
    [["/b/ann/1", "/b/ann/2"], []],
    [[], ["no manifest at this commit"]],
    [[], []],
  ])
    await printRecord(io, { delivery: { id: 1, status: "pending", builds, reasons } });
  expect(io.stdout.text.split("\n")).toEqual([
    "delivery  /b/ann/1, /b/ann/2",
    "delivery  no manifest at this commit",
    "delivery  pending",
    "",
  ]);
});

test("an attempt says whether a user requested it", async () => {
  const io = ioOf({ tty: true, env: { NO_COLOR: "1" } });
  await printRecord(io, { attempts: [{ number: 1, redelivery: true }] });
  expect(io.stdout.text).toMatch(/^NUMBER .* BY USER\n1 .* yes$/m);
});

test("a record without fields prints nothing", async () => {
  const io = ioOf();
  await printFields(io, []);
  expect(io.stdout.text).toBe("");
});

test("durations, times and sizes have the unit that fits", () => {
  expect([0.04, 0.4, 9.94, 9.96, 59.4, 59.6, 185, 7_199, 90_000, 172_800].map(duration)).toEqual([
    "0.0 s",
    "0.4 s",
    "9.9 s",
    "10 s",
    "59 s",
    "1 min 0 s",
    "3 min 5 s",
    "1 h 59 min",
    "1 day 1 h",
    "2 days 0 h",
  ]);
  const now = Date.parse("2026-01-02T00:00:00Z");
  expect(relative("2026-01-01T23:57:00Z", now)).toBe("3 min ago");
  expect(relative("2026-01-02T01:00:00Z", now)).toBe("in 1 h");
  expect([0, 1_023, 1_024, 10_240, 5 * 1_024 ** 3].map(size)).toEqual([
    "0 B",
    "1023 B",
    "1.0 KiB",
    "10 KiB",
    "5.0 GiB",
  ]);
});
