import { untilMark } from "./mark.js";

const mark = "0123456789abcdef";

/** Returns the pieces passed on, and the line after the mark. */
async function heard(...pieces: string[]): Promise<[string[], string | undefined]> {
  async function* all() {
    for (const piece of pieces) yield Buffer.from(piece);
  }
  const heard: string[] = [];
  const rest = await untilMark(mark, all(), async (bytes) => void heard.push(Buffer.from(bytes).toString()));
  return [heard, rest];
}

test("passes on what comes before the mark and returns the line after it", async () => {
  expect(await heard(`one\ntwo\n${mark} 0\n`)).toEqual([["one\ntwo\n"], " 0\n"]);
  expect(await heard(`${mark} 3\n`)).toEqual([[], " 3\n"]);
});

test("does not wait for anything after that line", async () => {
  expect(await heard(`one${mark} 3\n`, "of a daemon")).toEqual([["one"], " 3\n"]);
});

test("finds the mark in any pieces", async () => {
  expect(await heard("one", ...mark, " ", "1", "7", "\n")).toEqual([["one"], " 17\n"]);
});

test("holds back only what may be part of the mark", async () => {
  expect(await heard("one", "01", "23x", "0", "0", `${mark} 0\n`)).toEqual([["one", "0123x", "0", "0"], " 0\n"]);
});

test("passes everything on and returns nothing without a mark", async () => {
  expect(await heard("one", "0123")).toEqual([["one", "0123"], undefined]);
  expect(await heard()).toEqual([[], undefined]);
});

test("gives up on a line that never ends", async () => {
  const [, rest] = await heard(mark, "x".repeat(20), "\n");
  expect(rest).toBe("x".repeat(20));
});
