import { ago, ahead, counted, duration, size, spent, words } from "./format.js";

test.each([
  [0.04, "0.0 s"],
  [9.94, "9.9 s"],
  [59.4, "59 s"],
  [185, "3 min 5 s"],
  [7_800, "2 h 10 min"],
  [90_000, "1 d 1 h"],
])("%p seconds are written as %p", (seconds, text) => expect(duration(seconds)).toBe(text));

test.each([
  [0, "0 B"],
  [1_023, "1023 B"],
  [1_536, "1.5 KiB"],
  [20 * 1024 ** 2, "20 MiB"],
  [5 * 1024 ** 5, "5120 TiB"],
])("%p bytes are written as %p", (bytes, text) => expect(size(bytes)).toBe(text));

test("a single thing is counted in the singular", () => {
  expect([0, 1, 2].map((count) => counted(count, "line"))).toEqual(["0 lines", "1 line", "2 lines"]);
});

const start = "2030-01-01T00:00:00Z";
const after = (seconds: number) => Date.parse(start) + seconds * 1_000;

test("something that runs has taken the time until now", () => {
  expect(spent(null, null, after(5))).toBe("");
  expect(spent(start, null, after(5))).toBe("5.0 s");
  expect(spent(start, "2030-01-01T00:01:00Z", after(500))).toBe("1 min 0 s");
});

test.each([
  [-3, "just now"],
  [30, "30 s ago"],
  [3_599, "59 min ago"],
  [86_399, "23 h ago"],
  [200_000, "2 d ago"],
])("a time %p seconds in the past is %p", (seconds, text) => expect(ago(start, after(seconds))).toBe(text));

test.each([
  [-20, "now"],
  [9, "now"],
  [75, "in 1 min 15 s"],
  [200_000, "in 2 d 7 h"],
])("a time %p seconds ahead is %p", (seconds, text) => expect(ahead(start, after(-seconds))).toBe(text));

test("the name of a field is written in words", () => expect(words("last_used_at")).toBe("Last used at"));
