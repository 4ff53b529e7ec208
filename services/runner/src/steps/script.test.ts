import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { quote, scriptOf } from "./script.js";

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

test("the script fails for a ref that does not exist", () => {
  expect(run(scriptOf({ commands: [], source: { url: repository(), ref: "none", directory: "x" } })).status).not.toBe(
    0,
  );
});

test("the script clones into a directory whose name begins with a dash", () => {
  expect(run(scriptOf({ commands: [], source: { url: repository(), ref: "", directory: "-q" } })).status).toBe(0);
});
