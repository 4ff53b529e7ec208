import { matchesGlob, parseGlob } from "./glob.js";

test.each([
  ["dist/*.js", "dist", ["*.js"], 1],
  ["./dist/*/a?", "dist", ["*", "a?"], 2],
  ["**/*.log", "", ["**", "*.log"], Number.POSITIVE_INFINITY],
  ["/var/log/*", "/var/log", ["*"], 1],
  ["/*", "/", ["*"], 1],
  ["../*", "..", ["*"], 1],
  ["**/**/a**b/***/**", "", ["**", "a*b", "*", "**"], Number.POSITIVE_INFINITY],
])("parseGlob splits %s below %p", (pattern, directory, segments, depth) => {
  expect(parseGlob(pattern)).toEqual({ directory, segments, depth });
});

test.each([
  ["*.js", "a.js", true],
  ["*.js", "a.jsx", false],
  ["*.js", "b/a.js", false],
  ["*.js", ".a.js", false],
  [".*", ".a.js", true],
  ["a?c", "abc", true],
  ["a?c", "ac", false],
  ["*a*b*", "xxaxxbxx", true],
  ["*a*b*", "xxbxxaxx", false],
  ["**", "a/b/c", true],
  ["**/*.js", "a.js", true],
  ["**/*.js", "a/b/c.js", true],
  ["**/*.js", ".git/c.js", false],
  ["a/**/z", "a/z", true],
  ["a/**/z", "a/b/c/z", true],
  ["a/**/z", "b/z", false],
  ["a/**", "a", true],
  ["[a].js", "a.js", false],
  ["*[a].js", "x[a].js", true],
])("matchesGlob of %s and %s returns %p", (pattern, path, matches) => {
  expect(matchesGlob({ segments: pattern.split("/") }, path)).toBe(matches);
});

test("matchesGlob is fast on a crafted text", () => {
  // CPU time does not depend on the machine's other load.
  const before = process.cpuUsage();
  expect(matchesGlob({ segments: [`${"*a".repeat(50)}b`] }, "a".repeat(5_000))).toBe(false);
  expect(process.cpuUsage(before).user).toBeLessThan(5_000_000);
});
