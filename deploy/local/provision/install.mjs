// Checks the version of Node and installs the packages. Everything else needs both.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repoRoot, run } from "./machine.mjs";

/** The pinned version of pnpm, for npx. */
export const pnpm = "pnpm@12.21.0";
const minNode = [20, 19];

/**
 * Makes sure that Node is new enough and that node_modules matches the lockfile.
 * @throws {Error} with one sentence on what to do
 */
export const install = async () => {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major < minNode[0] || (major === minNode[0] && minor < minNode[1]))
    throw new Error(`Node ${minNode.join(".")} or later is needed, this is ${process.versions.node}.`);
  if (isInstalled()) return;
  console.log("Installing packages ...");
  const args = ["--yes", pnpm, "install", "--frozen-lockfile"];
  const { code } = await run("npx", args, { cwd: repoRoot, stdio: "inherit" });
  if (code !== 0) throw new Error(`Packages could not be installed: npx ${args.join(" ")} failed.`);
};

/** Compares the lockfile with the copy that pnpm keeps after an installation. */
const isInstalled = () => {
  const [wanted, installed] = ["pnpm-lock.yaml", "node_modules/.pnpm/lock.yaml"].map((path) => {
    try {
      return readFileSync(join(repoRoot, path), "utf8");
    } catch {
      return undefined;
    }
  });
  return wanted !== undefined && wanted === installed;
};
