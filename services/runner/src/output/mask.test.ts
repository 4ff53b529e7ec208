import fc from "fast-check";
import { automaton } from "./automaton.js";
import { createMask } from "./mask.js";

const hiding = (words: readonly string[]) => ({
  words: automaton(words.map((word) => Buffer.from(word))),
  encoded: automaton([]),
  spaced: automaton([]),
});

/** Masks a text that arrives in these chunks. */
function shownOf(words: readonly string[], chunks: readonly (string | Buffer)[]): string {
  const mask = createMask(hiding(words));
  const out = chunks.map((chunk) => Buffer.from(mask.write(Buffer.from(chunk as string))));
  return Buffer.concat([...out, Buffer.from(mask.end())]).toString();
}

/** The rule, implemented slowly: hides every byte of every occurrence and merges overlaps. */
function slowly(words: readonly string[], text: string): string {
  const found = words
    .filter((word) => word !== "")
    .flatMap((word) => [...text].map((_, at) => ({ from: at, to: at + word.length, word })))
    .filter(({ from, word }) => text.startsWith(word, from))
    .sort((a, b) => a.from - b.from || b.to - a.to);
  let out = "";
  let at = 0;
  for (let index = 0; index < found.length; ) {
    const { from } = found[index]!;
    let { to } = found[index]!;
    while (++index < found.length && found[index]!.from < to) to = Math.max(to, found[index]!.to);
    out += `${text.slice(at, from)}xxxxxx`;
    at = to;
  }
  return out + text.slice(at);
}

function cut(text: string, places: readonly number[]): string[] {
  const at = [0, ...places.map((place) => place % (text.length + 1)), text.length].sort((a, b) => a - b);
  return at.slice(1).map((to, index) => text.slice(at[index], to));
}

const few = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 60 });
const words = fc.array(fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 5 }), { maxLength: 4 });

test.each([
  ["one word", ["secret"], ["my secret is secret."], "my xxxxxx is xxxxxx."],
  ["cut into bytes", ["secret"], [..."a secret b"], "a xxxxxx b"],
  ["nothing to hide", [], ["text"], "text"],
  ["the longest of several", ["pass", "password", "word"], ["password passed"], "xxxxxx xxxxxxed"],
  ["a start that leads nowhere", ["abcdef", "cdx"], ["abcdx"], "abxxxxxx"],
  ["overlapping words", ["abcd", "cdef"], ["--abcdef--"], "--xxxxxx--"],
  ["side by side", ["ab"], ["abab"], "xxxxxxxxxxxx"],
  ["an unfinished word at the end", ["secret"], ["sec", "re"], "secre"],
  ["one letter", ["x"], ["axb"], "axxxxxxb"],
])("hides %s", (_what, hidden, chunks, shown) => {
  expect(shownOf(hidden, chunks)).toBe(shown);
});

test("hides a word that is cut inside a character", () => {
  const text = Buffer.from("ein schlüssel");
  const bytes = [...text].map((byte) => Buffer.from([byte]));
  expect(shownOf(["schlüssel"], bytes)).toBe("ein xxxxxx");
});

test("shows no byte of a word, however the text is chunked", () => {
  fc.assert(
    fc.property(words, few, fc.array(fc.nat(), { maxLength: 8 }), (hidden, text, places) => {
      expect(shownOf(hidden, cut(text, places))).toBe(slowly(hidden, text));
    }),
    { numRuns: 1_000 },
  );
});

test("holds back only what may be the start of a word", () => {
  const mask = createMask(hiding(["secret"]));
  expect(Buffer.from(mask.write(Buffer.from("hello\nse"))).toString()).toBe("hello\n");
  expect(Buffer.from(mask.write(Buffer.from("ason"))).toString()).toBe("season");
});

test("does not keep an endless chain of occurrences in memory", () => {
  const mask = createMask(hiding(["aa"]));
  const chunk = Buffer.alloc(64 * 1024, "a");
  const sizes = Array.from({ length: 20 }, () => mask.write(chunk).length);
  expect(sizes.reduce((sum, size) => sum + size)).toBe("xxxxxx".length);
});
