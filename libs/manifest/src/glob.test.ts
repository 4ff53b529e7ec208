import { isGlob, matchesSegments } from "./glob.js";

test("isGlob accepts only * and ? as wildcards", () => {
  expect(["a*", "a?", "**"].every(isGlob)).toBe(true);
  expect(["a[b]", "a{b,c}", "!a", "a\\b"].some(isGlob)).toBe(false);
});

/** Matches, and counts how often a segment is looked at. */
function matchCounting(glob: string, path: string) {
  let looks = 0;
  const segments = new Proxy(glob.split("/"), {
    get(target, key) {
      if (typeof key === "string" && /^\d+$/.test(key)) looks++;
      return Reflect.get(target, key);
    },
  });
  return { matches: matchesSegments(segments, path, { explicitDots: true }), looks };
}

test.each([
  ["many segments", `${"*/".repeat(1_000)}x`, "a/b"],
  ["many segments that match", `${"**/*/".repeat(1_000)}x`, "a/b"],
])("does not look at the whole of a glob of %s for a short path", (_what, glob, path) => {
  const { matches, looks } = matchCounting(glob, path);
  expect(matches).toBe(false);
  expect(looks).toBeLessThan(20);
});

test("a glob of many ** is read once for each name", () => {
  const { matches, looks } = matchCounting(`${"**/".repeat(1_000)}x`, "a/b/x");
  expect(matches).toBe(true);
  expect(looks).toBeLessThan(8 * 1_000);
});

/** Tries every way to match. */
function matchesSlowly([segment, ...segments]: readonly string[], names: readonly string[]): boolean {
  if (segment === undefined) return names.length === 0;
  const [name, ...rest] = names;
  if (segment === "**" && matchesSlowly(segments, names)) return true;
  if (name === undefined || (name.startsWith(".") && !segment.startsWith("."))) return false;
  if (segment === "**") return matchesSlowly([segment, ...segments], rest);
  return (segment === "*" || segment === name) && matchesSlowly(segments, rest);
}

/** All lists of one to `length` of these. */
const listsOf = (all: readonly string[], length: number): string[][] =>
  all.flatMap((one) => [[one], ...(length > 1 ? listsOf(all, length - 1).map((rest) => [one, ...rest]) : [])]);

test("matches as trying every way does", () => {
  const paths = listsOf(["a", "b", ".c"], 4);
  const wrong = listsOf(["**", "*", "a", ".c"], 5).flatMap((segments) =>
    paths
      .filter(
        (names) =>
          matchesSegments(segments, names.join("/"), { explicitDots: true }) !== matchesSlowly(segments, names),
      )
      .map((names) => ({ segments, names })),
  );
  expect(wrong).toEqual([]);
});
