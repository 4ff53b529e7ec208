import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { thisTree } from "./processes.js";

/** Returns the previous commit, or undefined without the history. */
export function previousCommit(): string | undefined {
  const { status, stdout } = spawnSync("git", ["rev-parse", "--verify", "--quiet", "HEAD~1"], { cwd: thisTree });
  return status === 0 ? stdout.toString().trim() : undefined;
}

/** Checks out, installs and builds a commit in a new folder, which the caller removes. */
export function builtTree(commit: string): string {
  const root = mkdtempSync(join(tmpdir(), "ci-tree-"));
  const archive = execFileSync("git", ["archive", commit], { cwd: thisTree, maxBuffer: 256 * 1024 ** 2 });
  execFileSync("tar", ["-x", "-C", root], { input: archive });
  // Older trees have the scripts one folder higher.
  const scripts = ["deploy/local/provision", "deploy/local"].find((dir) => existsSync(join(root, dir, "install.mjs")));
  const steps = ["install", "build"].map((step) => `await (await import("./${scripts}/${step}.mjs")).${step}();`);
  execFileSync(process.execPath, ["--input-type=module", "-e", steps.join("")], { cwd: root, stdio: "pipe" });
  return root;
}
