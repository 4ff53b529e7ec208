// Which files a build of the built binary, cli/dist/main.js, gets.
import { chmodSync, readdirSync, statSync, symlinkSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { inApp, LocalUser, printedBy } from "./_run.js";

let user: LocalUser;
beforeEach(() => {
  user = new LocalUser();
});
afterEach(() => user[Symbol.dispose]());

const snapshot = () =>
  readdirSync(user.repository, { recursive: true, encoding: "utf8" })
    .filter((path) => !path.startsWith(".git/"))
    .map((path) => [path, statSync(join(user.repository, path)).mtimeMs]);

test("a build gets the files that git does not ignore, as they are now, and the folder stays as it was", async () => {
  user.write({
    ".gitignore": "*.log\nsecret/\n",
    kept: "old\n",
    gone: "",
    "deep/er/tool": "",
    "a.log": "",
    "secret/key": "",
  });
  user.git("init", "-q");
  user.git("add", ".");
  user.git("commit", "-qm", "first");
  user.write({ kept: "new\n", 'not "yet" ädded': "" });
  unlinkSync(join(user.repository, "gone"));
  chmodSync(join(user.repository, "deep/er/tool"), 0o755);
  symlinkSync("kept", join(user.repository, "link"));
  const before = snapshot();
  const script = ["find . -not -name . -not -type d", "cat link", "[ -x deep/er/tool ]", "rm -r ./*"];
  const ended = await user.run(inApp(script));
  expect(ended).toMatchObject({ code: 0 });
  expect(printedBy("unit", ended).sort()).toEqual([
    ...["./.gitignore", "./deep/er/tool", "./kept", "./link", './not "yet" ädded', "new"],
  ]);
  expect(printedBy("clone.1", ended)).toEqual([`Copied ${user.repository} => app: 5 files, 22 bytes`]);
  expect(snapshot()).toEqual(before);
  expect(user.left()).toEqual([]);
});

test("outside a repository, a build gets the whole folder except .git", async () => {
  user.write({ ".gitignore": "x", x: "", "sub/y": "", "sub/.git/config": "" });
  const ended = await user.run(inApp(["find . -type f"]));
  expect(printedBy("unit", ended).sort()).toEqual(["./.gitignore", "./sub/y", "./x"]);
});

test("a repository that git cannot read is refused, because git would know what is ignored", async () => {
  user.write({ ".git/config": "", x: "" });
  const { code, stderr } = await user.run(inApp(["true"]));
  expect([code, stderr]).toEqual([2, expect.stringContaining(`git cannot list the files of ${user.repository}`)]);
});

test("a submodule is copied with its files", async () => {
  user.write({ "lib/.gitignore": "b", "lib/a": "", "lib/b": "" }).git("init", "-q");
  user.git("init", "-q", "lib");
  const ended = await user.run(inApp(["find . -type f"]));
  expect(printedBy("unit", ended).sort()).toEqual(["./lib/.gitignore", "./lib/a"]);
});

test("the folder takes the place of the source with its address; others are cloned, and with --clone all", async () => {
  user.write({ a: "committed\n" }).git("init", "-q");
  user.git("add", ".");
  user.git("commit", "-qm", "first");
  user.git("remote", "add", "origin", "git@git.example.com:team/service.git");
  user.write({ a: "changed\n", ".git/safe": "[safe]\n\tdirectory = *\n" });
  const other = `file://${user.repository}`;
  const manifest = {
    driver: { type: "os" },
    sources: [`${other} => other`, "https://git.example.com/team/service => here"],
    jobs: [{ name: "unit", commands: ["cat here/a", "cat other/a", "echo $CI_BRANCH $CI_REPOSITORY"] }],
  };
  // Jobs may have another user than the repository.
  const words = ["--var", `GIT_CONFIG_GLOBAL=${join(user.repository, ".git/safe")}`];
  const ended = await user.run(manifest, words);
  expect(printedBy("unit", ended)).toEqual(["changed", "committed", "main team/service"]);
  const one = { ...manifest, sources: [`${other} => here`], jobs: [{ name: "unit", commands: ["cat here/a"] }] };
  const cloned = await user.run(one, ["--clone", ...words]);
  expect(printedBy("unit", cloned)).toEqual(["committed"]);
});

test("a folder that is too large is not copied", async () => {
  user.write({ large: "x".repeat(1_048_577) });
  const ended = await user.run(inApp(["true"]), [], { CLONE_LIMIT: "1MiB" });
  expect(ended.code).toBe(1);
  expect(printedBy("clone.1", ended)).toEqual([
    "The folder is larger than 1 MiB; let .gitignore name what the build does not need, or raise CLONE_LIMIT",
  ]);
});
