import { cutIn } from "./frame-cut.js";

const kib = 1024;
const line = "text of a line\n";

test.each([
  ["a short text whole", "text\nand more", 13],
  ["at most 32 KiB", "x".repeat(40 * kib), 32 * kib],
  ["whole lines", `${"x".repeat(20 * kib)}\n${"x".repeat(20 * kib)}`, 20 * kib + 1],
  ["no half of a character", `x${"\u{1f600}".repeat(20 * kib)}`, 32 * kib - 1],
  ["at most 500 lines", line.repeat(600), 500 * line.length],
  ["exactly 500 lines whole", line.repeat(500), 500 * line.length],
  ["at most 500 empty lines", "\n".repeat(32 * kib), 500],
  ["at most 2,000 sequences", "\x1b[mx".repeat(3_000), 2_000 * 4],
  ["whole lines of 2,000 sequences", `${"\x1b[mx".repeat(900)}\n`.repeat(9), 2 * 3_601],
])("a frame takes %s", (_, text, end) => {
  expect(cutIn(text)).toBe(end);
});
