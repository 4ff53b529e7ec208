import { aBuild } from "../../test/_build.js";
import { commitFacts, factsOf } from "./facts.js";
import type { HookChange } from "./hooks/change.js";

const sha = "d".repeat(40);
const before = "b".repeat(40);
const push: HookChange = {
  ...{ type: "push", repoId: "1", ref: "refs/heads/feature/$(id)", sha, comment: "", email: "", username: "" },
  ...{ fork: false, before, defaultBranch: "main" },
};
const commit = { message: "Say `hello`\n\n$(id)", author: "Grace", email: "grace@example.com" };
const factsFor = (change: HookChange, said = commit) => {
  const origin = { url: "https://git.test/a/b/c.git", sha, bare: false, ...commitFacts(change, said) };
  const build = aBuild({ origin, epoch: 2, names: { user: "ann", namespace: "team/app" } });
  return Object.fromEntries(factsOf(build, "https://ci.test").map(({ key, value }) => [key, value]));
};
const ofBuild = {
  ...{ CI: "true", CI_BUILD: "1", CI_BUILD_ID: "100", CI_BUILD_URL: "https://ci.test/b/ann/1", CI_USER: "ann" },
  ...{ CI_EVENT: "manual", CI_ATTEMPT: "2" },
};
const ofCommit = {
  ...{ CI_NAMESPACE: "team/app", CI_REPOSITORY: "a/b/c", CI_REPOSITORY_URL: "https://git.test/a/b/c.git" },
  ...{ CI_COMMIT: sha, CI_COMMIT_MESSAGE: commit.message, CI_COMMIT_AUTHOR: "Grace" },
  ...{ CI_COMMIT_AUTHOR_EMAIL: "grace@example.com", CI_COMMIT_BEFORE: before, CI_DEFAULT_BRANCH: "main" },
};

test("a build without a repository knows itself, and nothing that does not apply", () => {
  const facts = factsOf(aBuild({ epoch: 2, names: { user: "ann" } }), "https://ci.test");
  expect(Object.fromEntries(facts.map(({ key, value }) => [key, value]))).toEqual(ofBuild);
});

test("a build of an earlier version knows less", () => {
  expect(factsOf(aBuild({ epoch: 1 }), "https://ci.test").map(({ key }) => key)).not.toContain("CI_USER");
});

test.each([
  ["a branch", push, { CI_REF: push.ref, CI_BRANCH: "feature/$(id)" }],
  ["a tag", { ...push, ref: "refs/tags/v1" }, { CI_REF: "refs/tags/v1", CI_TAG: "v1" }],
  [
    "a request",
    { ...push, type: "pull" as const, ref: "feature", id: "7", targetBranch: "main" },
    { CI_REF: "feature", CI_BRANCH: "feature", CI_PULL_REQUEST: "7", CI_TARGET_BRANCH: "main" },
  ],
  [
    "a request without a branch",
    { ...push, type: "pull" as const, ref: "refs/pull/7/head", id: "7" },
    { CI_REF: "refs/pull/7/head", CI_PULL_REQUEST: "7" },
  ],
])("a build of %s knows its repository and commit", (_what, change, more) => {
  expect(factsFor(change)).toEqual({ ...ofBuild, ...ofCommit, ...more });
});

test("what strangers wrote is cut, and cannot end the value of a variable", () => {
  const facts = factsFor(push, { message: `a\0b${"m".repeat(1024 ** 2)}`, author: "x".repeat(10_000), email: "" });
  expect(facts.CI_COMMIT_MESSAGE).toBe(`ab${"m".repeat(4_093)}`);
  expect(facts.CI_COMMIT_AUTHOR).toHaveLength(255);
  expect(facts).not.toHaveProperty("CI_COMMIT_AUTHOR_EMAIL");
});
