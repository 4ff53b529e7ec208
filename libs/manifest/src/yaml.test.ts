import type { Tree } from "./tree.js";
import { readYaml } from "./yaml.js";

/** Returns a tree without its places. */
function plain({ value }: Tree): unknown {
  if (value === null || typeof value === "string") return value;
  if (value instanceof Map) return new Map([...value].map(([key, { tree }]) => [key, plain(tree)]));
  return (value as readonly Tree[]).map(plain);
}

const mib = 1024 * 1024;
const read = (text: string) => {
  const result = readYaml(text, mib);
  return "root" in result ? Object.fromEntries(plain(result.root) as Map<string, unknown>) : result.reason;
};
const map = (entries: Record<string, unknown>) => new Map(Object.entries(entries));

describe("values", () => {
  test.each([
    ["numbers keep their text", "a: 1.20\nb: 0x10\nc: 1_000\nd: .5e3", { a: "1.20", b: "0x10", c: "1_000", d: ".5e3" }],
    ["booleans keep their text", "a: yes\nb: True\nc: off", { a: "yes", b: "True", c: "off" }],
    ["dates keep their text", "a: 2026-11-21", { a: "2026-11-21" }],
    ["keys keep their text", "1.0: a\ntrue: b", { "1.0": "a", true: "b" }],
    ["YAML 1.1 makes no difference", "%YAML 1.1\n---\na: yes", { a: "yes" }],
    ["tags of YAML make no difference", "a: !!int 0x10\nb: !!binary aGk=", { a: "0x10", b: "aGk=" }],
    ["tags of YAML may be written out", "a: !<tag:yaml.org,2002:str> b", { a: "b" }],
    ["no value is null", "a:\nb: ~\nc: null\n? d", { a: null, b: null, c: null, d: null }],
    ["a quoted null is text", 'a: ""\nb: "~"\nc: \'null\'', { a: "", b: "~", c: "null" }],
    ["a null in a list is text", "a: [~, null]\nb:\n-", { a: ["~", "null"], b: [""] }],
    ["block scalars are text", "a: |\n  x\n  y\nb: >-\n  x\n  y", { a: "x\ny\n", b: "x y" }],
    ["Windows line ends are normalised", "a: |\r\n  x\r\n  y\r\nb: c\r\n", { a: "x\ny\n", b: "c" }],
    ["a byte order mark is skipped", "\uFEFFa: b", { a: "b" }],
    ["document marks are skipped", "---\na: b\n...\n", { a: "b" }],
    ["quoted text has escapes", 'a: "\\tx y\\\\n\\"z\\u00e9 "', { a: '\tx y\\n"z\u00e9 ' }],
    ["lines of quoted text are folded", 'a: "x y \t\n  z\r\n\n v \\\n  w\rx"', { a: "x y z\nv w\rx" }],
    ["half a surrogate pair is replaced", 'a: "x\\uD800y"', { a: "x\uFFFDy" }],
    ["a key that is not text is refused", "? [a]\n: b\nc: d", "A key must be a string at line 1, column 3"],
    [
      "names of object members are plain keys",
      "__proto__: a\nconstructor: b",
      { ["__proto__"]: "a", constructor: "b" },
    ],
  ])("%s", (_name, text, expected) => {
    expect(read(text)).toEqual(expected);
  });
});

describe("anchors and merge keys", () => {
  test.each([
    ["an alias repeats a list", "a: &a [x]\nb: *a", { a: ["x"], b: ["x"] }],
    ["the last of equal anchors counts", "a: &a x\nb: &a y\nc: *a", { a: "x", b: "y", c: "y" }],
    ["an alias of no value repeats that", "a: &a\nb: *a\nc: &c ~\nd: *c", { a: null, b: null, c: null, d: null }],
    ["no value replaces an earlier anchor", "a: &a x\nb: &a\nc: *a", { a: "x", b: null, c: null }],
    [
      "no value can be merged",
      "a: &a\nb:\n  <<: [*a, {x: 1}]\nc:\n  <<: *a",
      { a: null, b: map({ x: "1" }), c: map({}) },
    ],
    ["an alias can be a key", "a: &a x\n*a : y", { a: "x", x: "y" }],
    [
      "own keys override merged ones",
      "a: &a {x: 1, y: 2}\nb:\n  <<: *a\n  y: 3",
      { a: map({ x: "1", y: "2" }), b: map({ x: "1", y: "3" }) },
    ],
    ["the first of several merged mappings wins", "a:\n  <<: [{x: 1}, {x: 2, y: 2}]", { a: map({ x: "1", y: "2" }) }],
    ["a quoted << is a key", 'a: {"<<": {x: 1}}', { a: map({ "<<": map({ x: "1" }) }) }],
  ])("%s", (_name, text, expected) => {
    expect(read(text)).toEqual(expected);
  });

  const uses = (count: number) => `a: &a x\nb: [${Array(count).fill("*a").join(", ")}]`;
  const bomb = (levels: number, width: number) =>
    Array.from(
      { length: levels },
      (_, n) =>
        `k${n}: &a${n} [${Array(width)
          .fill(n ? `*a${n - 1}` : "x")
          .join(", ")}]`,
    );

  test("100 expansions pass, one more does not", () => {
    expect(read(uses(100))).toMatchObject({ a: "x" });
    expect(read(uses(101))).toMatch(/^More than 100 alias expansions at line 2, column \d+$/);
  });

  test("expansions of different anchors add up", () => {
    const anchors = Array.from({ length: 101 }, (_, n) => `k${n}: &a${n} x\nl${n}: *a${n}\n`);
    expect(read(anchors.slice(1).join(""))).toMatchObject({ l100: "x" });
    expect(read(anchors.join(""))).toMatch(/^More than 100 alias expansions/);
  });

  test("aliases inside an alias count each time", () => {
    // 9 aliases of a text, then 9 of a list with 9 more inside: 9 + 9 * (1 + 9) = 99. Another list makes 109.
    expect(read(bomb(3, 9).join("\n"))).toHaveProperty("k2");
    expect(read([...bomb(3, 9), "more: *a1"].join("\n"))).toMatch(/^More than 100/);
    expect(read(bomb(30, 9).join("\n"))).toMatch(/^More than 100 alias expansions at line 4/);
  });

  test("a few aliases of a long text are rejected", () => {
    const text = `a: &a "${"x".repeat(mib / 2)}"\nb: [*a]\nc: *a\n`;
    expect(read(text)).toMatch(/^Aliases expand to too much text at line 3, column 4$/);
  });
});

const smile = "\u{1F600}";

describe("mistakes", () => {
  test.each([
    ["a: [b", "Missing ] at line 1, column 6; close the brackets, and indent all lines between them"],
    [
      "a: b\n  c: d\n",
      'Unexpected ": " in a value, or a line below it is indented too far at line 1, column 4; quote the value, or indent the line less',
    ],
    ["a:\n\tb: c", "Tabs are not allowed as indentation at line 2, column 1; indent with spaces"],
    ["a:b\nc: d", 'Expected a key with ": " after it at line 1, column 1; indent lines that continue a value further'],
    [
      "a:\n  - b: c\n   d: e",
      'Expected an entry of the list, with "- " in front at line 3, column 1; indent lines that belong to the entry above further',
    ],
    ["a:\n  - b\n - c", 'Unexpected "- " at line 3, column 1; indent all entries of a list alike'],
    ["a: 'b' && c", "Unexpected text after the end of a value at line 1, column 8; quote all of the value"],
    ["a: @b", "Plain value cannot start with reserved character @ at line 1, column 4; quote it"],
    ['a: "\\d+"', "Invalid escape sequence \\d at line 1, column 5; use single quotes, or write \\\\ for a backslash"],
    ["a: *", "A text cannot begin with * at line 1, column 4; quote it"],
    ['x: y\na: "b\n', 'Missing closing "quote at line 3, column 1'],
    [`${"k".repeat(150)}: a\n`.repeat(2), `Map keys must be unique ("${"k".repeat(100)}") at line 2, column 1`],
    [
      `a: |${smile.repeat(150)}`,
      `Block scalar header includes extra characters: |${smile.repeat(52)} at line 1, column 5`,
    ],
    ['"a\\0\\e[31m": b\n"a\\0\\e[31m": b', 'Map keys must be unique ("a\uFFFD\uFFFD[31m") at line 2, column 1'],
    ["a: b\nc: d\na: e", 'Map keys must be unique ("a") at line 3, column 1'],
    ['other:\n  - {1: b, "1": c}', 'Map keys must be unique ("1") at line 2, column 12'],
    ["a:\n  <<: {b: c}\n  <<: {b: c}", 'Map keys must be unique ("<<") at line 3, column 3'],
    ["a:\n  <<: b", "Only mappings can be merged at line 2, column 3"],
    ["a: *b", "Unresolved alias b at line 1, column 4; if it is a text, quote it"],
    ["a: &a\n  b: *a", "Alias a stands for something it is part of at line 2, column 6"],
    ["a: b\n---\nc: d", "More than one document at line 2, column 1"],
    ["---\n---\n", "More than one document at line 2, column 1"],
    ["- a", "A manifest must be a mapping at line 1, column 1"],
    ["just text", "A manifest must be a mapping at line 1, column 1"],
    [" \n", "A manifest must be a mapping at line 1, column 1"],
    ["# nothing", "A manifest must be a mapping at line 1, column 1"],
    ["a: b\n}", "Unexpected flow-map-end token in YAML stream at line 2, column 1"],
  ])("%j is rejected", (text, reason) => {
    expect(read(text)).toBe(reason);
  });

  test.each([
    ["a: !docs/**", "line 1, column 4; quote it: '!docs/**'"],
    ["a: !docs/** # b\n\nc: d", "line 1, column 4; quote it: '!docs/**'"],
    ["a: [! grep it's]", "line 1, column 5; quote it: '! grep it''s'"],
    ["a: !  b &c", "line 1, column 4; quote it: '!  b &c'"],
    ["a: ! &b c", "line 1, column 4; quote it: '! &b c'"],
    ["a: !!main", "line 1, column 4; quote it: '!!main'"],
    ["a: [!!grep b]", "line 1, column 5; quote it: '!!grep b'"],
    ["a: [!<grep> b]", "line 1, column 5; quote it: '!<grep> b'"],
    ["a:\n- ! grep b: c", "line 2, column 3; quote all of the value"],
    ["a: {! b: c}", "line 1, column 5; quote all of the value"],
    ["a: ! |\n  b\n  c", "line 1, column 4; quote all of the value"],
    ["a: ! b\n  c", "line 1, column 4; quote all of the value"],
    ["a: !b\n  c", "line 1, column 4; quote all of the value"],
    ['a: ! "b" c', "line 1, column 4; quote all of the value"],
    ["a: ! b\u001B", "line 1, column 4; quote all of the value"],
    [`a: !${"b".repeat(100)}`, "line 1, column 4; quote all of the value"],
  ])("%j is rejected, and the complaint shows how to write it if that works", (text, end) => {
    expect(read(text)).toBe(`A text cannot begin with ! at ${end}`);
  });

  test.each([
    ["a: !reference [b, c]", "Unknown tag !reference at line 1, column 4"],
    ["a:\n  b: ! [c, d]", "Unknown tag ! at line 2, column 6"],
    ["a: !\n- b", "Unknown tag ! at line 1, column 4"],
    ["a: ! {b: c}", "Unknown tag ! at line 1, column 4"],
    ["--- !a\nb: c", "Unknown tag !a at line 1, column 5"],
    ["%TAG ! tag:x,2000:\n---\na: !docs/**", "Unexpected %TAG at line 1, column 1"],
  ])("%j is rejected, because manifests have no tags", (text, reason) => {
    expect(read(text)).toBe(`${reason}; manifests have no tags`);
  });

  test("tags are ignored in a stored manifest, as they were", () => {
    const text = "%TAG !m! tag:x,2000:\n---\na: !docs/**\nb: [! grep x]\nc: !m!x x\nd: ! [x]\ne: !!x";
    const result = readYaml(text, mib, true);
    expect("root" in result && Object.fromEntries(plain(result.root) as Map<string, unknown>)).toEqual({
      a: null,
      b: ["grep x"],
      c: "x",
      d: ["x"],
      e: null,
    });
  });

  test("a message does not repeat a long text", () => {
    expect(read(`a: |${"+".repeat(10_000)}\n`)?.length).toBeLessThan(300);
  });
});

// Without the bounds, these overflow the stack, run for minutes or use up the memory.
describe("a hostile text of 1 MiB", () => {
  const full = (piece: string) => piece.repeat(mib / Buffer.byteLength(piece));
  test.each([
    ["lists", full("[")],
    ["lists in blocks", full("- ")],
    ["keys in keys", full("? ")],
    ["mappings in flow", full("{a: ")],
    ["a staircase", Array.from({ length: 1_440 }, (_, n) => `${" ".repeat(n)}a:\n`).join("")],
  ])("with deeply nested %s is rejected", (_name, text) => {
    expect(read(text)).toMatch(/^Nested more than 32 levels deep at line \d+, column \d+$/);
  });

  test.each([
    ["commas", `a: [${full("x,")}]`],
    ["mistakes", `a: [${full(",")}`],
    ["keys", `{${full("a: b, ")}}`],
    ["documents", full("---\n")],
    ["aliases", `a: &a x\nb: [${full("*a,")}]`],
    ["anchors", full("&a ")],
    ["tags", full("!a ")],
  ])("with nothing but %s is rejected", (_name, text) => {
    expect(read(text)).toMatch(/^[A-Z].* at line \d+, column \d+(;|$)/);
  });

  test("with 50,000 different keys is read in linear time", () => {
    const text = Array.from({ length: 50_000 }, (_, n) => `key${n}: v\n`).join("");
    expect(Object.keys(read(text) as object)).toHaveLength(50_000);
    expect(read(`${text}key0: again`)).toBe('Map keys must be unique ("key0") at line 50001, column 1');
  });

  test("with few long tokens or blank lines is valid", () => {
    expect(read(`a: b${full("\n")}`)).toEqual({ a: "b" });
    expect(read(`a: ${"x".repeat(mib)}`)).toEqual({ a: "x".repeat(mib) });
    expect(read(`a:\n${full("  - echo this is a line of a script\n")}`)).toHaveProperty("a.length", 29_127);
  });
});
