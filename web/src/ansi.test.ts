import { ansiParser, type Line } from "./ansi.js";

const esc = "\x1b";

/** Returns the lines of pieces of output, the open one last. */
function linesOf(...pieces: string[]): Line[] {
  const parser = ansiParser();
  const lines: Line[] = [];
  let open: Line = [];
  for (const piece of pieces) {
    const pushed = parser.push(piece);
    lines.push(...pushed.lines);
    open = pushed.open;
  }
  expect(lines).toHaveLength(pieces.join("").split("\n").length - 1);
  return [...lines, open];
}
const textsOf = (...pieces: string[]) => linesOf(...pieces).map((line) => line.map(({ text }) => text).join(""));

test("text is divided into lines, whatever pieces it arrives in", () => {
  expect(textsOf("a\nb", "c\r\nd\n")).toEqual(["a", "bc", "d", ""]);
});

test.each([
  ["16 colours", `${esc}[31mx`, { colour: 1 }],
  ["bright colours", `${esc}[97;101mx`, { colour: 15, background: 9 }],
  ["256 colours", `${esc}[38;5;208;48;5;17mx`, { colour: 208, background: 17 }],
  ["true colours", `${esc}[38;2;255;0;16mx`, { colour: "#ff0010" }],
  ["colours with colons", `${esc}[38:5:208mx`, { colour: 208 }],
  ["several flags", `${esc}[1;3;4;7;9mx`, { bold: true, italic: true, underline: true, inverse: true, strike: true }],
  ["a reset", `${esc}[1;31m${esc}[mx`, {}],
])("understands %s", (_, text, style) => {
  expect(linesOf(text)).toEqual([[{ text: "x", style }]]);
});

test("a colour lasts until it is reset, also across lines", () => {
  expect(linesOf(`${esc}[32ma\nb${esc}[0mc`)).toEqual([
    [{ text: "a", style: { colour: 2 } }],
    [
      { text: "b", style: { colour: 2 } },
      { text: "c", style: {} },
    ],
  ]);
});

test("a sequence that is split anywhere is understood", () => {
  const text = `a${esc}[1;38;5;200mb${esc}]8;;http://x${esc}\\c`;
  for (let at = 1; at < text.length; at++) expect(linesOf(text.slice(0, at), text.slice(at))).toEqual(linesOf(text));
});

test.each([
  ["cursor movements", `a${esc}[2Ab${esc}[10;5Hc`, "abc"],
  ["erased ends of lines", `a${esc}[Kb`, "ab"],
  ["window titles", `${esc}]0;title\x07a`, "a"],
  ["links", `${esc}]8;;http://x${esc}\\a${esc}]8;;${esc}\\`, "a"],
  ["character sets", `${esc}(Ba`, "a"],
  ["bells and nulls", "a\x07\x00b", "ab"],
])("drops %s", (_, text, expected) => {
  expect(textsOf(text)).toEqual([expected]);
});

test("a carriage return starts a new version of the line", () => {
  expect(textsOf("10 %\r50 %", "\r", "100 %\n", "done")).toEqual(["100 %", "done"]);
  expect(textsOf("kept\r")).toEqual(["kept"]);
});

test("a backspace removes a character", () => {
  expect(textsOf("/\b-\b|")).toEqual(["|"]);
});

test("an endless line is cut, and says so", () => {
  const [line] = textsOf("x".repeat(15_000), "y".repeat(15_000), "z\nnext");
  expect(line).toMatch(/^x{15000}y{5000} … \(cut here/);
  expect(line!.length).toBeLessThan(20_100);
});

test("a line of very many colours is cut, and says so", () => {
  const [line, next] = linesOf(`${`${esc}[31ma${esc}[32mb`.repeat(2_000)}\b\n${esc}[mnext`);
  expect(line).toHaveLength(1_001);
  expect(line!.at(-1)!.text).toMatch("(cut here");
  expect(next).toEqual([{ text: "next", style: {} }]);
});

test("a sequence of more than 256 characters changes no colour", () => {
  expect(linesOf(`${esc}[${"1;".repeat(130)}31mx`)).toEqual([[{ text: "x", style: {} }]]);
});

test("text after an escape that never ends is shown in the end", () => {
  expect(textsOf(`a${esc}]${"x".repeat(1_000)}`, "b")[0]).toContain("x");
});

test.each(["P", "]", "X", "^", "_"])("an escape with %s does not hide the lines after it", (begin) => {
  expect(textsOf(`a${esc}${begin}b\nc`, "\nd")).toEqual(["ab", "c", "d"]);
});

test.each([
  ["in a title", `${esc}]0;t\nu\x07v`, ["0;t", "uv"]],
  ["in a link", `${esc}]8;;http://x\n${esc}\\a`, ["8;;http://x", "a"]],
  ["in a sequence", `a${esc}[3\n1mb`, ["a3", "1mb"]],
  ["before a character set", `a${esc}(\nBb`, ["a(", "Bb"]],
])("a line break %s ends the line", (_, text, shown) => {
  expect(textsOf(text)).toEqual(shown);
  for (let at = 1; at < text.length; at++) expect(linesOf(text.slice(0, at), text.slice(at))).toEqual(linesOf(text));
});

test("a sequence that never ends is shown at the end of the text", () => {
  const parser = ansiParser();
  expect(parser.push(`a\nb${esc}]cd`).open).toEqual([{ text: "b", style: {} }]);
  expect(parser.end()).toEqual([{ text: "bcd", style: {} }]);
  expect(parser.push("e").open).toEqual([{ text: "bcde", style: {} }]);
});

test.each([
  ["another sequence", `${esc}]0;t${esc}[31mx\x07`, "0;tx"],
  ["another title", `${esc}]0;t${esc}]0;u\x07x`, "0;tx"],
  ["another character set", `${esc}Pt${esc}(Bx\x07`, "tx"],
])("a title that does not end before %s is text", (_, text, shown) => {
  expect(textsOf(text)).toEqual([shown]);
  for (let at = 1; at < text.length; at++) expect(linesOf(text.slice(0, at), text.slice(at))).toEqual(linesOf(text));
});
