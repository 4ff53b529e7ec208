import { readManifest } from "@ci/manifest/manifest";
import { turnsDuring } from "@ci/testkit/turns-during";
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

const slowGlobs = Array.from({ length: 50 }, (_, n) => `${"*a".repeat(90)}${n}b`);

test.each(["branch", "path"] as const)("slow globs of the key %s leave the event loop free", async (key) => {
  const branch = "a".repeat(1_023);
  const files = async () => Array.from({ length: 100 }, (_, n) => `${"a".repeat(60)}${n}`);
  const found = mismatch({ [key]: slowGlobs }, { event: "push", branch, files });
  const turns = turnsDuring(found);
  expect(await found).toBe(key);
  expect(await turns).toBeGreaterThan(10);
});

test("globs that every job repeats are matched once", async () => {
  const one = manifest("jobs: [{name: a, when: {branch: x}}]");
  const jobs = Array.from({ length: 100 }, () => ({ ...one.jobs[0]!, when: { branch: [...slowGlobs] } }));
  const work = narrowed({ ...one, jobs }, { event: "push", branch: "a".repeat(1_023) });
  const turns = turnsDuring(work);
  expect((await work).leftOut).toHaveLength(100);
  expect(await turns).toBeLessThan(100);
});

test("globs in paths match once all of a commit would take too long, and those that are known stay as they are", async () => {
  const files = async () => Array.from({ length: 1_000 }, (_, n) => `a${"a".repeat(59)}${n}`);
  const occasion: Occasion = { event: "push", files };
  const globs = (letter: string) => Array.from({ length: 50 }, (_, n) => letter.padEnd(197, "b") + n);
  const keys: (string | undefined)[] = [];
  for (const letter of ["c", "d", "e", "f", "c"]) keys.push(await mismatch({ path: globs(letter) }, occasion));
  expect(keys).toEqual(["path", "path", "path", undefined, "path"]);
  expect(await mismatch({ path: ["docs/**"] }, occasion)).toBe("path");
  expect(await mismatch({ path: globs("f") }, { ...occasion })).toBe("path");
});
