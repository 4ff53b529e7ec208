import { artifactEntry, baseName, envEntry, objectEntry, sourceEntry } from "./entries.js";

test.each([
  ["a", "a"],
  ["a/b.txt", "b.txt"],
  ["/a/b//", "b"],
  ["a\nb/c", "c"],
  ["/", ""],
  ["", ""],
])("the base name of %j is %j", (path, name) => {
  expect(baseName(path)).toBe(name);
});

test.each([
  ["A=b", "A", "b"],
  ["_a1=", "_a1", ""],
  ["A==b=c ", "A", "=b=c "],
  ["A=b\nc", "A", "b\nc"],
])("the env entry %j sets %j to %j", (entry, key, value) => {
  expect(envEntry(entry)).toEqual({ key, value });
});

test.each([
  ["a.txt", "a.txt", "a.txt"],
  [" dir/a.txt ", "dir/a.txt", "a.txt"],
  ["a.txt=>b.txt", "a.txt", "b.txt"],
  ["a.txt   =>  dir/b.txt", "a.txt", "dir/b.txt"],
  ["a.txt => dir/", "a.txt", "dir/a.txt"],
  ["a.txt => /", "a.txt", "/a.txt"],
  ["a.txt => b => c", "a.txt", "b => c"],
  ["a.txt => ..b/c..", "a.txt", "..b/c.."],
])("the object entry %j has the source %j and the name %j", (entry, source, name) => {
  expect(objectEntry(entry)).toEqual({ source, name });
});

test.each([
  ["out/a.tar", "out/a.tar", "a.tar"],
  ["../out/a.tar", "../out/a.tar", "a.tar"],
  ["/tmp/a.tar => b/c.tar", "/tmp/a.tar", "b/c.tar"],
  // For a glob, the name is a pattern.
  ["out/*.tar", "out/*.tar", "*"],
  ["out/**/?.tar => all.tar", "out/**/?.tar", "*"],
  ["out/*.tar => release/*-signed", "out/*.tar", "release/*-signed"],
  ["out/a.tar => *", "out/a.tar", "*"],
])("the artifact entry %j has the source %j and the name %j", (entry, source, name) => {
  expect(artifactEntry(entry)).toEqual({ source, name });
});

test.each([
  ["https://a.example/b/c.git", "https://a.example/b/c.git", "", "c"],
  ["https://a.example/b/c/", "https://a.example/b/c/", "", "c"],
  ["git@a.example:c.git", "git@a.example:c.git", "", "c"],
  ["git@a.example:b/c.d.git main", "git@a.example:b/c.d.git", "main", "c.d"],
  ["https://a.example/c  v1.0 =>  src/c ", "https://a.example/c", "v1.0", "src/c"],
  ["https://a.example/c => .", "https://a.example/c", "", "."],
  ["https://a.example/c =>", "https://a.example/c", "", "c"],
  ["/srv/git/c.git refs/heads/x", "/srv/git/c.git", "refs/heads/x", "c"],
])("the source entry %j has the URL %j, the ref %j and the directory %j", (entry, url, ref, directory) => {
  expect(sourceEntry(entry)).toEqual({ url, ref, directory });
});

test.each([
  "",
  "  ",
  "https://a.example/..",
  "https://a.example/-c",
  "https://a.example/.git",
  "a\u0085b",
  "a b\u007f",
])("%j is not a source entry", (entry) => {
  expect(sourceEntry(entry)).toBeUndefined();
});

// Each entry would take minutes if the search restarted at every character.
test("long entries are read in linear time", () => {
  const slashes = `${"/".repeat(500_000)}a`.repeat(2);
  expect(baseName(slashes)).toBe("a");
  expect(objectEntry(`a => ${slashes}`)).toBeDefined();
  expect(sourceEntry(`${slashes} ${"  ".repeat(500_000)}x`)).toMatchObject({ ref: "x", directory: "a" });
  expect(envEntry(`${"A".repeat(1_000_000)}!`)).toBeUndefined();
});
