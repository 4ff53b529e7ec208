import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { quote } from "@ci/git/clone-commands";
import { scriptOf } from "./script.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "script-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const run = (script: string) => {
  const { stdout, stderr, status } = spawnSync("/bin/sh", ["-c", script], { cwd: folder, encoding: "utf8" });
  return { stdout, stderr, status };
};

/** Creates a repository with two commits, a branch and a tag, in a folder with a hostile name. */
function repository(): string {
  const path = join(folder, "it's; a $(repo)");
  const git = (...args: string[]) => execFileSync("git", ["-C", path, ...args], { stdio: "pipe" });
  execFileSync("git", ["init", "-q", "-b", "main", path]);
  git("config", "user.email", "t@example.com");
  git("config", "user.name", "t");
  for (const [file, branch] of [
    ["one", "main"],
    ["two", "side/branch"],
  ] as const) {
    git("checkout", "-q", "-B", branch);
    writeFileSync(join(path, file), file);
    git("add", ".");
    git("commit", "-q", "-m", file);
  }
  git("tag", "v1");
  git("checkout", "-q", "main");
  return path;
}

test("the script contains the commands unchanged", () => {
  expect(scriptOf({ commands: ["cd x", "echo $Y 'z'"], source: undefined })).toBe(
    "exec 2>&1\nset -ex\ncd x\necho $Y 'z'\n",
  );
});

test("the script traces commands, merges errors into the output and stops at the first failure", () => {
  const script = scriptOf({ commands: ["x=1", "echo $x >&2", "false", "echo never"], source: undefined });
  expect(run(script)).toEqual({ stdout: "+ x=1\n+ echo 1\n1\n+ false\n", stderr: "", status: 1 });
});

test("the script has a clone job's commands, or its own if an older service sent none", () => {
  const source = { url: "u", ref: "", directory: "d" };
  const lines = ["mkdir -p -- 'd'", "git clone -q -- 'u' 'd'", "cd -- 'd'"];
  expect(scriptOf({ commands: [], source })).toBe(`exec 2>&1\nset -ex\n${lines.join("\n")}\n`);
  expect(scriptOf({ commands: ["echo shown"], source })).toBe("exec 2>&1\nset -ex\necho shown\n");
});

test("quote protects any word from the shell", () => {
  for (const word of ["", "a b", "it's", "$(reboot)", "`x`", "\\", "a\nb", "''"])
    expect(run(`printf %s ${quote(word)}`).stdout).toBe(word);
});

test.each([
  ["", "one", undefined],
  ["side/branch", "two", "two"],
  ["v1", "two", "two"],
])("the script clones the files of ref %p", (ref, file, content) => {
  const source = { url: repository(), ref, directory: "to $here/it's" };
  const { status, stdout } = run(scriptOf({ commands: [], source }));
  expect({ status, stdout }).toMatchObject({ status: 0 });
  expect(readFileSync(join(folder, source.directory, file), "utf8")).toBe(content ?? "one");
});

test("the script fetches a commit by its id that is on no branch", () => {
  const url = repository();
  const git = (...args: string[]) => execFileSync("git", ["-C", url, ...args], { encoding: "utf8" }).trim();
  const ref = git("commit-tree", "side/branch^{tree}", "-p", "main", "-m", "a request");
  git("update-ref", "refs/pull/7/head", ref);
  const source = { url: `file://${encodeURI(url)}`, ref, directory: "request" };
  expect(run(scriptOf({ commands: [], source }))).toMatchObject({ status: 0 });
  expect(readFileSync(join(folder, "request", "two"), "utf8")).toBe("two");
});

test.each([undefined, 1])("the script checks out a ref by its full name, with depth %p", (depth) => {
  const url = repository();
  const git = (...args: string[]) => execFileSync("git", ["-C", url, ...args], { encoding: "utf8" }).trim();
  for (const ref of ["refs/pull/7/head", "refs/heads/a@b"]) git("update-ref", ref, "side/branch");
  const inClone = depth ? [] : ["refs/tags/v1^{commit}", "refs/remotes/origin/side/branch"];
  for (const ref of inClone)
    expect([ref, run(scriptOf({ commands: [], source: { url, ref, directory: ref } })).status]).toEqual([ref, 0]);
  for (const ref of [
    "refs/heads/side/branch",
    "refs/heads/a@b",
    "refs/heads/main",
    "refs/tags/v1",
    "refs/pull/7/head",
  ]) {
    const source = { url: `file://${encodeURI(url)}`, ref, directory: `x ${ref}`, depth };
    expect([ref, run(scriptOf({ commands: [], source })).status]).toEqual([ref, 0]);
    const head = execFileSync("git", ["-C", join(folder, source.directory), "rev-parse", "HEAD"], { encoding: "utf8" });
    expect([ref, head.trim()]).toEqual([ref, git("rev-parse", `${ref}^{commit}`)]);
  }
});

test("the script fails for a ref that does not exist", () => {
  expect(run(scriptOf({ commands: [], source: { url: repository(), ref: "none", directory: "x" } })).status).not.toBe(
    0,
  );
});

test("the script clones into a directory whose name begins with a dash", () => {
  expect(run(scriptOf({ commands: [], source: { url: repository(), ref: "", directory: "-q" } })).status).toBe(0);
});

test("the script checks out the branch that a commit was pushed to, at that commit", () => {
  const url = repository();
  const git = (at: string, ...args: string[]) => execFileSync("git", ["-C", at, ...args], { encoding: "utf8" }).trim();
  const ref = git(url, "rev-parse", "side/branch");
  git(url, "branch", "-f", "side/branch", "main");
  const source = { url, ref, directory: "x", branch: "side/branch" };
  expect(run(scriptOf({ commands: [], source }))).toMatchObject({ status: 0 });
  const clone = join(folder, "x");
  expect([git(clone, "branch", "--show-current"), git(clone, "rev-parse", "HEAD")]).toEqual(["side/branch", ref]);
  // Git accepts fewer names for branches than for refs.
  expect(run(scriptOf({ commands: [], source: { ...source, directory: "y", branch: "@" } }))).toMatchObject({
    status: 0,
  });
  expect(git(join(folder, "y"), "rev-parse", "HEAD")).toBe(ref);
});

test.each([
  ["", "one"],
  ["side/branch", "two"],
  ["v1", "two"],
])("the script fetches a short history of ref %p, and the submodules", (ref, file) => {
  const url = repository();
  const git = (...args: string[]) => execFileSync("git", ["-C", url, ...args], { encoding: "utf8" }).trim();
  const depthOf = (at: string) => execFileSync("git", ["-C", at, "rev-list", "--count", "HEAD"], { encoding: "utf8" });
  const source = { url: `file://${encodeURI(url)}`, ref, directory: "x", depth: 1, submodules: true };
  expect(run(scriptOf({ commands: [], source }))).toMatchObject({ status: 0 });
  expect(readFileSync(join(folder, "x", file), "utf8")).toBe(file);
  expect(depthOf(join(folder, "x"))).toBe("1\n");
  const commit = { ...source, ref: git("rev-parse", "side/branch"), directory: "y" };
  expect(run(scriptOf({ commands: [], source: commit }))).toMatchObject({ status: 0 });
  expect(readFileSync(join(folder, "y", "two"), "utf8")).toBe("two");
});

test("the script fetches submodules", () => {
  const url = repository();
  const git = (...args: string[]) => execFileSync("git", ["-C", url, "-c", "protocol.file.allow=always", ...args]);
  git("submodule", "-q", "add", url, "below");
  git("commit", "-q", "-m", "with a submodule");
  const script = scriptOf({ commands: [], source: { url, ref: "", directory: "x", submodules: true } });
  const allowed = "export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=protocol.file.allow GIT_CONFIG_VALUE_0=always";
  expect(run(`${allowed}\n${script}`)).toMatchObject({ status: 0 });
  expect(readFileSync(join(folder, "x", "below", "one"), "utf8")).toBe("one");
});

test("the script runs in another shell, which it gives neither arguments nor variables", () => {
  const commands = ['[[ $BASH_VERSION && $# = 0 ]] && echo "in bash"', "false", "echo never"];
  const file = join(folder, "script");
  writeFileSync(file, scriptOf({ commands, source: undefined, shell: "bash" }));
  const { stdout, status } = spawnSync("/bin/sh", [file], { encoding: "utf8" });
  expect({ status, stdout }).toEqual({ status: 1, stdout: expect.stringMatching(/in bash\n\+ false\n$/) });
  writeFileSync(file, scriptOf({ commands, source: undefined, shell: "no-such-shell" }));
  const missing = spawnSync("/bin/sh", [file], { encoding: "utf8" });
  expect(missing).toMatchObject({ status: 127, stdout: expect.stringMatching(/no-such-shell.*not found/) });
});
