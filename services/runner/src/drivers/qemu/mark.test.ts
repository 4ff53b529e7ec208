import { untilMark } from "./mark.js";

const mark = "0123456789abcdef";

/** What is heard of these pieces, piece by piece, and the line behind the mark. */
async function heard(...pieces: string[]): Promise<[string[], string | undefined]> {
  async function* all() {
    for (const piece of pieces) yield Buffer.from(piece);
  }
  const heard: string[] = [];
  const rest = await untilMark(mark, all(), async (bytes) => void heard.push(Buffer.from(bytes).toString()));
  return [heard, rest];
}

test("what comes before the mark is heard, and the line behind it is answered", async () => {
  expect(await heard(`one\ntwo\n${mark} 0\n`)).toEqual([["one\ntwo\n"], " 0\n"]);
  expect(await heard(`${mark} 3\n`)).toEqual([[], " 3\n"]);
});

test("nothing that comes later is waited for", async () => {
  expect(await heard(`one${mark} 3\n`, "of a daemon")).toEqual([["one"], " 3\n"]);
});

test("the mark may come in any pieces", async () => {
  expect(await heard("one", ...mark, " ", "1", "7", "\n")).toEqual([["one"], " 17\n"]);
});

test("only what may be a part of the mark waits", async () => {
  expect(await heard("one", "01", "23x", "0", "0", `${mark} 0\n`)).toEqual([["one", "0123x", "0", "0"], " 0\n"]);
});

test("without a mark everything is heard and nothing answered", async () => {
  expect(await heard("one", "0123")).toEqual([["one", "0123"], undefined]);
  expect(await heard()).toEqual([[], undefined]);
});

test("a line that never ends is given up", async () => {
  const [, rest] = await heard(mark, "x".repeat(20), "\n");
  expect(rest).toBe("x".repeat(20));
});
