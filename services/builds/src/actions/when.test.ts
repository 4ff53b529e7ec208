import { readManifest } from "@ci/manifest/manifest";
import { mismatch, narrowed, type Occasion, reasonAgainst, withoutJobs } from "./when.js";

function manifest(text: string) {
  const read = readManifest(`driver: {type: os}\n${text}`, { maxBytes: 10_000, maxStages: 10, maxJobs: 10 });
  if (!("manifest" in read)) throw new Error(JSON.stringify(read));
  return read.manifest;
}
const push: Occasion = { event: "push", branch: "main", files: async () => ["src/a.ts", "README.md"] };

test.each([
  [{}, undefined],
  [{ event: ["push"], branch: ["main"], path: ["src/**"] }, undefined],
  [{ event: ["pull"] }, "event"],
  [{ event: ["!push"] }, "event"],
  [{ branch: ["dev"], path: ["docs/**"] }, "branch"],
  // A push to a branch has no tag, so no condition on a tag holds.
  [{ tag: ["*"] }, "tag"],
  [{ tag: ["!v*"] }, "tag"],
  [{ path: ["docs/**"] }, "path"],
  [{ path: ["!**/*.md"] }, undefined],
  [{ path: ["!src/**", "!**/*.md"] }, "path"],
])("%j fails for a push to main at %s", async (when, key) => {
  expect(await mismatch(when, push)).toBe(key);
});

test("unknown changes match, and files are asked for only if needed", async () => {
  const files = () => Promise.reject(new Error("asked"));
  expect(await mismatch({ path: ["docs/**"] }, { event: "manual" })).toBeUndefined();
  expect(await mismatch({ path: ["docs/**"] }, { ...push, files: async () => undefined })).toBeUndefined();
  expect(await mismatch({ branch: ["dev"], path: ["a"] }, { ...push, files })).toBe("branch");
  expect(await mismatch({ branch: ["main"] }, { ...push, files })).toBeUndefined();
});

test("jobs that do not match are left out", async () => {
  const whole = manifest("jobs: [{name: a}, {name: b, when: {event: pull}}, {name: c, when: {branch: main}}]");
  const { manifest: rest, leftOut } = await narrowed(whole, push);
  expect([rest.jobs.map(({ name }) => name), leftOut]).toEqual([["a", "c"], [1]]);
  expect(withoutJobs(whole, leftOut).manifest).toEqual(rest);
  expect((await narrowed(whole, { event: "manual" })).leftOut).toEqual([1, 2]);
});

test.each([
  ["when: {branch: dev}\njobs: [{name: a}]", "the manifest's when does not match: branch"],
  ["jobs: [{name: a, when: {event: pull}}, {name: b, when: {tag: v*}}]", "the when of no job matches"],
  ["jobs: [{name: a, when: {event: pull}}, {name: b}]", undefined],
  ["jobs: []", undefined],
])("a push has a reason against %j", async (text, reason) => {
  expect(await reasonAgainst(manifest(text), push)).toBe(reason);
});

test("many paths and globs leave the event loop free", async () => {
  const files = async () => Array.from({ length: 1_000 }, (_, n) => `${"a".repeat(60)}${n}`);
  const globs = Array.from({ length: 50 }, (_, n) => `${"*a".repeat(90)}${n}b`);
  let turns = 0;
  const turn = () => {
    turns++;
    timer = setImmediate(turn);
  };
  let timer = setImmediate(turn);
  expect(await mismatch({ path: globs }, { event: "push", files })).toBe("path");
  clearImmediate(timer);
  expect(turns).toBeGreaterThan(100);
});
