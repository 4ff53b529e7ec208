import { manifestFor } from "./former-manifest.js";

const of = (manifest: string, user: string, path?: string, owner = user) =>
  ({ manifest, user: { username: user }, namespace: path ? { path, user: { username: owner } } : null }) as never;

test.each([
  [
    "own builds stay as they are",
    of("namespace: a/b # ours\njobs: []", "ann", "a/b"),
    "namespace: a/b # ours\njobs: []",
  ],
  ["so do builds without a namespace", of("jobs: []", "bob"), "jobs: []"],
  ["and full names", of('namespace: "a@bob"\n', "bob", "a"), 'namespace: "a@bob"\n'],
  [
    "another user's namespace gets its owner",
    of("jobs: []\nnamespace: a\n", "bob", "a"),
    "jobs: []\nnamespace: a@bob\n",
  ],
  ["one's own needs none", of("namespace: a@ann\nx: y", "bob", "c", "ann"), "namespace: c\nx: y"],
  ["a name that a hook ignored is replaced", of("namespace: x\n", "ann", "a"), "namespace: a\n"],
  [
    "a missing one is added",
    of("# all\n---\ndriver:\n  type: os\n", "ann", "a"),
    "# all\n---\nnamespace: a\ndriver:\n  type: os\n",
  ],
  ["JSON keeps its form", of('{ "jobs": [], "namespace" : "a" }', "bob", "a"), '{ "jobs": [], "namespace": "a@bob" }'],
  ["and gets what it lacks", of('{"jobs": []}', "bob", "a"), '{"namespace": "a@bob", "jobs": []}'],
])("%s", (_, build, manifest) => {
  expect(manifestFor("ann", build)).toBe(manifest);
});
