import type { HookChange } from "./change.js";
import { isSurelyNewer, tipRefOf } from "./tip.js";

const [a, b, c] = ["a", "b", "c"].map((letter) => letter.repeat(40)) as [string, string, string];

test.each([
  ["the build of the commit that it replaced", { sha: b, before: a, order: 2 }, { sha: a, order: 1 }, true],
  ["an earlier build of the same push", { sha: b, before: a, order: 2 }, { sha: b, before: a, order: 1 }, true],
  ["its own build", { sha: b, before: a, order: 2 }, { sha: b, before: a, order: 2 }, false],
  ["the build of another commit", { sha: b, before: a, order: 3 }, { sha: c, before: b, order: 2 }, false],
  ["a build that pushed the branch back", { sha: b, before: a, order: 3 }, { sha: a, before: b, order: 2 }, false],
  ["the build of another commit, without knowing the one before", { sha: b, order: 3 }, { sha: c, order: 2 }, false],
])("a push is or is not surely newer than %s", (_, push, other, newer) => {
  expect(isSurelyNewer(push, other)).toBe(newer);
});

const change = { repoId: "1", sha: a, comment: "", email: "", username: "", fork: false };

test.each([
  ["github", { type: "push", ref: "refs/heads/main" }, "refs/heads/main"],
  ["github", { type: "pull", ref: "main", id: "7" }, "refs/pull/7/head"],
  ["gitlab", { type: "pull", ref: "main", id: "7" }, "refs/merge-requests/7/head"],
  ["gitea", { type: "pull", ref: "refs/pull/7/head", id: "7" }, "refs/pull/7/head"],
  ["gitea", { type: "pull", ref: "main", id: "7/head" }, undefined],
  ["gitea", { type: "pull", ref: "main" }, undefined],
] as const)("in %s the newest commit of %j has the ref %s", (provider, more, ref) => {
  expect(tipRefOf(provider, { ...change, ...more } as HookChange)).toBe(ref);
});
