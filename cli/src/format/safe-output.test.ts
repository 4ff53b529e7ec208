import { ioOf } from "../../test/_io.js";
import { runPrinter } from "../run-printer.js";
import { filterFor, terminalFilter } from "./safe-output.js";

const esc = "\x1b";

/** Returns what the filter lets through of pieces of output. */
function shown(...pieces: string[]): string {
  const filter = terminalFilter();
  return pieces.map((piece) => filter.push(piece)).join("") + filter.end();
}

const kept = [
  ["text with tabs, line ends and backspaces", "a\tü😀\u00a0\r\n10 %\r50 %\b\n"],
  ["colors", `${esc}[31ma${esc}[0;1;38:5:208mb${esc}[m`],
  ["erased ends of lines", `10 %\r${esc}[K20 %${esc}[2K`],
] as const;

const dropped = [
  ["writing the clipboard", `a${esc}]52;c;ZXZpbA==\x07b`, "ab"],
  ["titles", `a${esc}]0;title${esc}\\b`, "ab"],
  ["links", `${esc}]8;;http://x${esc}\\a${esc}]8;;${esc}\\`, "a"],
  ["device control", `a${esc}P$q"p${esc}\\b`, "ab"],
  ["requests for a report", `a${esc}[6n${esc}[>c${esc}[?4mb`, "ab"],
  ["the settings of keys", `a${esc}[>4;2mb`, "ab"],
  ["cursor movements", `a${esc}[2Ab${esc}[10;5Hc${esc}[2Jd`, "abcd"],
  ["modes and resets", `a${esc}[?1049hb${esc}cc${esc}(0d${esc}7`, "abcd"],
  ["control characters", "a\x00\x07\x0b\x0c\x0e\x0f\x7fb", "ab"],
  ["the same in C1 characters", "a\x9b6nb\x9d0;title\x9cc\x9d52;c;x\x07d\x90q\x9ce\x85f\x9bm", "abcdef"],
  ["titles that do not end before another sequence", `a${esc}]0;t${esc}[31mb\x07`, `a0;t${esc}[31mb`],
  ["the same, one after another", "a\x9dx\x9d0;t\x07b", "axb"],
  ["an escape within a sequence", `a${esc}[3${esc}[2Jb${esc}${esc}]52;c;x\x07c`, "a3bc"],
  ["sequences that never end", `a${esc}]52;c;x`, "a52;c;x"],
] as const;

test.each(kept)("a terminal gets %s", (_, text) => {
  expect(shown(text)).toBe(text);
  expect(shown(...text)).toBe(text);
});

test.each(dropped)("a terminal does not get %s, wherever they are split", (_, text, expected) => {
  expect(shown(text)).toBe(expected);
  expect(shown(...text)).toBe(expected);
  for (let at = 1; at < text.length; at++) expect(shown(text.slice(0, at), text.slice(at))).toBe(expected);
});

test("of a sequence that is too long to wait for its end, the text is shown", () => {
  const filter = terminalFilter();
  const body = "x".repeat(3_000);
  expect(filter.push(`${esc}]52;c;${body}`)).toBe("");
  expect(filter.push(body)).toBe(`52;c;${body}${body}`);
  expect(filter.push("\x07a") + filter.end()).toBe("a");
});

test("nothing that two pieces form together controls the terminal", () => {
  const parts = [esc, "[", "]", "0", ";", "\x07", "\\", "2", "J", "m", "\x9b", "\x9c", "a"];
  const texts = parts.flatMap((one) =>
    parts.flatMap((two) => parts.flatMap((three) => parts.map((four) => shown(one, two + three, four)))),
  );
  // biome-ignore lint/suspicious/noControlCharactersInRegex: none may be left
  expect(texts.filter((text) => /[\x00-\x1f\x80-\x9f]/.test(text.replace(/\x1b\[[\d;]*m/g, "")))).toEqual([]);
});

test("pipes and files get output unchanged", () => {
  const text = `a${esc}]0;t\x07${esc}[2J\x9b6n\x00`;
  const filter = filterFor(ioOf().stdout);
  expect(filter.push(text) + filter.end()).toBe(text);
});

test.each([
  [true, "one | ab\none | c\n"],
  [false, `one | a${esc}]0;t\x07b\none | c${esc}[2J\n`],
])("output of a run is safe on a terminal (%s) and unchanged elsewhere", async (tty, expected) => {
  const io = ioOf({ tty, env: { NO_COLOR: "1" } });
  const emit = runPrinter(io);
  for (const text of [`a${esc}]0;`, `t\x07b\nc${esc}[2`, "J\n"])
    await emit({ event: "output", data: { job: "one", text } });
  expect(io.stdout.text).toBe(expected);
});
