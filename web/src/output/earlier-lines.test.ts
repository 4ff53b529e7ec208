import { earlierLines, partsFromEnd } from "./earlier-lines.js";

const textOf = ({ line }: Awaited<ReturnType<typeof earlierLines>>[number]) => line.map(({ text }) => text).join("");
const sizes = async (text: string) => [...partsFromEnd(await earlierLines(text))].map(({ length }) => length);

test("lines have their bytes, whatever they are divided into", async () => {
  const long = "é".repeat(40_000);
  const found = await earlierLines(`a\n\n${long}\n€`);
  expect(found.map(({ bytes, isPiece }) => [bytes, isPiece])).toEqual([
    [2, false],
    [1, false],
    [80_001, false],
    [3, true],
  ]);
});

test("a colour continues in later parts", async () => {
  const found = await earlierLines(`\x1b[31m${"red\n".repeat(1_200)}`);
  expect(found).toHaveLength(1_200);
  expect(found.at(-1)!.line).toEqual([{ text: "red", style: { colour: 1 } }]);
});

test("a part has at most 500 lines and 2,000 changes of colour, and the last is the first", async () => {
  expect(await sizes("\n".repeat(1_200))).toEqual([500, 500, 200]);
  expect(await sizes(`${"\x1b[31ma\x1b[32mb".repeat(300)}\n`.repeat(10))).toEqual([3, 3, 3, 1]);
  const [last] = partsFromEnd(await earlierLines(`${"first\n".repeat(500)}last\n`));
  expect(textOf(last!.at(-1)!)).toBe("last");
});
