import { readManifest } from "./manifest.js";
import { matchesGlob, selects } from "./when.js";

const limits = { maxBytes: 1024 * 1024, maxStages: 100, maxJobs: 500 };
const read = (text: string) => readManifest(`driver: {type: os}\n${text}`, limits);
const complaints = (text: string) => {
  const reading = read(text);
  return "manifest" in reading ? [] : reading.complaints.map(({ message }) => message.replace("Manifest ", ""));
};

test("a manifest and a job have conditions, each one glob or a list", () => {
  const reading = read(`
when: {event: [push, pull], branch: main, tag: "", path: []}
jobs:
- commands: [a]
  when: {path: ["src/**", "!**/*.md"]}
- commands: [b]
  when: {}
`);
  if (!("manifest" in reading)) throw new Error(JSON.stringify(reading));
  expect(reading.manifest.when).toEqual({ event: ["push", "pull"], branch: ["main"] });
  expect(reading.manifest.jobs.map(({ when }) => when)).toEqual([{ path: ["src/**", "!**/*.md"] }, undefined]);
});

test.each([
  ["when: {event: pusch}", 'line 2, column 15: unknown event "pusch"; did you mean "push"?'],
  [
    'when: {event: ["!merge"]}',
    'line 2, column 16: unknown event "merge"; known are "manual", "push", "pull", "schedule"',
  ],
  ["when: {branches: main}", 'line 2: unknown key "branches" in when; did you mean "branch"?'],
  [
    "when: push",
    'line 2, column 7: when must be a mapping, not a string; for example {event: [push, pull], branch: main, path: ["src/**", "!**/*.md"]}',
  ],
  [
    "when: {branch: {a: b}}",
    'line 2, column 16: branch must be a glob or a list of globs, not a mapping; for example [main, "release/*"]',
  ],
  [
    "jobs: [{when: push}]",
    "line 2, column 15: when must be a mapping, not a string; for example {branch: main, status: [passed, failed]}",
  ],
  [
    "jobs: [{when: {tag: {a: b}}}]",
    'line 2, column 21: tag must be a glob or a list of globs, not a mapping; for example "v*"',
  ],
  ["when: {branch: [a, [b]]}", "line 2, column 20: branch[1] must be a string, not a list"],
  ["when: {branch: '!'}", "line 2, column 16: a glob in branch is empty"],
  [`when: {tag: ${"v".repeat(201)}}`, "line 2, column 13: a glob in tag cannot be longer than 200 characters"],
  [`when: {tag: [${"v,".repeat(51)}]}`, "line 2, column 13: tag cannot have more than 50 globs"],
])("%.60j is refused", (text, expected) => {
  expect(complaints(text)).toEqual([expected]);
});

test.each([
  ["main", "main", true],
  ["main", "maintenance", false],
  ["release/*", "release/1.0", true],
  ["release/*", "release/1.0/fix", false],
  ["release/**", "release/1.0/fix", true],
  ["**", "release/1.0/fix", true],
  ["v?.*", "v1.0", true],
  ["v[0-9]", "v1", false],
  ["src/**/*.ts", "src/a.ts", true],
  ["src/**/*.ts", "src/a/b/c.ts", true],
  ["**/*.md", ".github/README.md", true],
  ["*", ".service-ci.yml", true],
  ["$(id)", "$(id)", true],
])("the glob %s matches %s: %s", (glob, text, expected) => {
  expect(matchesGlob(glob, text)).toBe(expected);
});

function selected(globs: readonly string[], text: string): boolean {
  const steps = selects(globs, text);
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

test.each([
  [["main", "dev"], "dev", true],
  [["main", "dev"], "other", false],
  [["!wip/**"], "main", true],
  [["!wip/**"], "wip/a", false],
  [["*", "!main"], "main", false],
  [["!main", "*"], "dev", true],
  [["!main", "*"], "main", false],
  [["main", "*", "!dev"], "dev", false],
  [["!wip/**", "main"], "other", false],
  [[], "main", true],
])("%j selects %s: %s", (globs, text, expected) => {
  expect(selected(globs, text)).toBe(expected);
});

test("no glob is slow", () => {
  const glob = "*a".repeat(100);
  expect(selected([glob, `**/${"?*".repeat(95)}b`], "a".repeat(10_000))).toBe(true);
  expect(selected([`${glob}b`], "a/".repeat(5_000))).toBe(false);
});

test("each glob is a step, until the result is known", () => {
  expect([...selects(["a", "b", "!c", "d", "!b", "!e"], "b")]).toEqual(["a", "b", "!c", "!b"]);
});
