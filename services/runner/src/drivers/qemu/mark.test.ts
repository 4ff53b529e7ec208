import { untilMark } from "./mark.js";

const mark = "0123456789abcdef";

/** Returns the pieces passed on, and the line after the mark. */
async function readUntilMark(...pieces: string[]): Promise<[string[], string | undefined]> {
  async function* source() {
    for (const piece of pieces) yield Buffer.from(piece);
  }
  const passedOn: string[] = [];
  const rest = await untilMark(mark, source(), async (bytes) => void passedOn.push(Buffer.from(bytes).toString()));
  return [passedOn, rest];
}

test("untilMark passes on the output before the mark and returns the line after it", async () => {
  expect(await readUntilMark(`one\ntwo\n${mark} 0\n`)).toEqual([["one\ntwo\n"], " 0\n"]);
  expect(await readUntilMark(`${mark} 3\n`)).toEqual([[], " 3\n"]);
});

test("untilMark does not wait for output after that line", async () => {
  expect(await readUntilMark(`one${mark} 3\n`, "of a daemon")).toEqual([["one"], " 3\n"]);
});

test("untilMark finds the mark in any pieces", async () => {
  expect(await readUntilMark("one", ...mark, " ", "1", "7", "\n")).toEqual([["one"], " 17\n"]);
});

test("untilMark holds back only bytes that may belong to the mark", async () => {
  expect(await readUntilMark("one", "01", "23x", "0", "0", `${mark} 0\n`)).toEqual([
    ["one", "0123x", "0", "0"],
    " 0\n",
  ]);
});

test("untilMark passes everything on and returns nothing without a mark", async () => {
  expect(await readUntilMark("one", "0123")).toEqual([["one", "0123"], undefined]);
  expect(await readUntilMark()).toEqual([[], undefined]);
});

test("untilMark gives up on an endless line", async () => {
  const [, rest] = await readUntilMark(mark, "x".repeat(20), "\n");
  expect(rest).toBe("x".repeat(20));
});
