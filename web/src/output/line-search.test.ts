import { lineSearch } from "./line-search.js";

const bytes = (text: string) => new TextEncoder().encode(text);

test("finds lines whatever their case and colours, with their numbers and byte offsets", () => {
  const search = lineSearch("Größe");
  const text = "one\nä \x1b[31mGR\x1b[0mÖßE\nthree größe\n";
  search.search(bytes(text));
  search.search(bytes("\nlast: größe"));
  const whole = `${text}\nlast: größe`;
  const at = (line: string) => bytes(whole.slice(0, whole.indexOf(line))).length;
  expect(search.found()).toMatchObject({
    hits: [
      { line: 2, offset: at("ä ") },
      { line: 3, offset: at("three") },
      { line: 5, offset: at("last") },
    ],
    total: 3,
  });
});

test("remembers a bounded number of hits, and counts the others", () => {
  const search = lineSearch("a");
  for (let i = 0; i < 200; i++) search.search(bytes("a\n".repeat(100)));
  expect([search.found().hits.length, search.found().total]).toEqual([10_000, 20_000]);
});
