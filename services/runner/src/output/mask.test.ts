import { pacer } from "@ci/kit/turns/pacer";
import fc from "fast-check";
import { automaton } from "./automaton.js";
import { createMask } from "./mask.js";

const pace = pacer(Number.MAX_SAFE_INTEGER);
const hiding = async (words: readonly string[]) => ({
  words: await automaton(
    words.map((word) => Buffer.from(word)),
    pace,
  ),
  encoded: await automaton([], pace),
  spaced: await automaton([], pace),
});

/** Masks a text that arrives in these chunks. */
async function shownOf(words: readonly string[], chunks: readonly (string | Buffer)[]): Promise<string> {
  const mask = createMask(await hiding(words));
  const out = chunks.map((chunk) => Buffer.from(mask.write(Buffer.from(chunk as string))));
  return Buffer.concat([...out, Buffer.from(mask.end())]).toString();
}

/** A slow implementation of the rule: hides every byte of every occurrence and merges overlaps. */
function maskSlowly(words: readonly string[], text: string): string {
  const matches = words
    .filter((word) => word !== "")
    .flatMap((word) => [...text].map((_, offset) => ({ from: offset, to: offset + word.length, word })))
    .filter(({ from, word }) => text.startsWith(word, from))
    .sort((a, b) => a.from - b.from || b.to - a.to);
  let out = "";
  let offset = 0;
  for (let index = 0; index < matches.length; ) {
    const { from } = matches[index]!;
    let { to: end } = matches[index]!;
    while (++index < matches.length && matches[index]!.from < end) end = Math.max(end, matches[index]!.to);
    out += `${text.slice(offset, from)}xxxxxx`;
    offset = end;
  }
  return out + text.slice(offset);
}

function cut(text: string, positions: readonly number[]): string[] {
  const cuts = [0, ...positions.map((position) => position % (text.length + 1)), text.length].sort((a, b) => a - b);
  return cuts.slice(1).map((end, index) => text.slice(cuts[index], end));
}

const texts = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 60 });
const words = fc.array(fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 5 }), { maxLength: 4 });

test.each([
  ["one word", ["secret"], ["my secret is secret."], "my xxxxxx is xxxxxx."],
  ["cut into bytes", ["secret"], [..."a secret b"], "a xxxxxx b"],
  ["nothing without words", [], ["text"], "text"],
  ["the longest of several", ["pass", "password", "word"], ["password passed"], "xxxxxx xxxxxxed"],
  ["a word after the beginning of another", ["abcdef", "cdx"], ["abcdx"], "abxxxxxx"],
  ["overlapping words", ["abcd", "cdef"], ["--abcdef--"], "--xxxxxx--"],
  ["side by side", ["ab"], ["abab"], "xxxxxxxxxxxx"],
  ["no unfinished word at the end", ["secret"], ["sec", "re"], "secre"],
  ["one letter", ["x"], ["axb"], "axxxxxxb"],
])("the mask hides %s", async (_what, hidden, chunks, expected) => {
  expect(await shownOf(hidden, chunks)).toBe(expected);
});

test("the mask hides a word that is cut inside a character", async () => {
  const text = Buffer.from("ein schlüssel");
  const bytes = [...text].map((byte) => Buffer.from([byte]));
  expect(await shownOf(["schlüssel"], bytes)).toBe("ein xxxxxx");
});

test("the mask shows no byte of a word, however the text is cut", async () => {
  await fc.assert(
    fc.asyncProperty(words, texts, fc.array(fc.nat(), { maxLength: 8 }), async (hidden, text, positions) => {
      expect(await shownOf(hidden, cut(text, positions))).toBe(maskSlowly(hidden, text));
    }),
    { numRuns: 1_000 },
  );
});

test("the mask holds back only bytes that may begin a word", async () => {
  const mask = createMask(await hiding(["secret"]));
  expect(Buffer.from(mask.write(Buffer.from("hello\nse"))).toString()).toBe("hello\n");
  expect(Buffer.from(mask.write(Buffer.from("ason"))).toString()).toBe("season");
});

test("the mask does not keep an endless chain of occurrences in memory", async () => {
  const mask = createMask(await hiding(["aa"]));
  const chunk = Buffer.alloc(64 * 1024, "a");
  const sizes = Array.from({ length: 20 }, () => mask.write(chunk).length);
  expect(sizes.reduce((sum, size) => sum + size)).toBe("xxxxxx".length);
});

test("a long text that is held back is not copied for each byte that follows", async () => {
  const word = `${"a".repeat(1024 ** 2)}b`;
  const before = process.cpuUsage();
  const mask = createMask(await hiding([word]));
  let out = "";
  for (const [index, byte] of Buffer.from(`aa${word}, `).entries()) {
    out += Buffer.from(mask.write(Uint8Array.of(byte))).toString();
    if (index % 1_000 === 0) await new Promise(setImmediate);
  }
  expect(`${out}${Buffer.from(mask.end()).toString()}`).toBe("aaxxxxxx, ");
  expect(process.cpuUsage(before).user).toBeLessThan(20_000_000);
});
