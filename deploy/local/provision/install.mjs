// What must be there before anything else of the project can run: a Node that is new enough, and the packages.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repoRoot, run } from "./machine.mjs";

const pnpm = "pnpm@12.21.0";
const leastNode = [20, 19];

/**
 * Makes sure that Node is new enough and that node_modules is what the lockfile says.
 * @throws {Error} with one sentence that says what to do
 */
export const install = async () => {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major < leastNode[0] || (major === leastNode[0] && minor < leastNode[1]))
    throw new Error(`Node ${leastNode.join(".")} or later is needed, this is ${process.versions.node}.`);
  if (isInstalled()) return;
  console.log("Installing packages ...");
  const args = ["--yes", pnpm, "install", "--frozen-lockfile"];
  const { code } = await run("npx", args, { cwd: repoRoot, stdio: "inherit" });
  if (code !== 0) throw new Error(`Packages could not be installed: npx ${args.join(" ")} failed.`);
};

/** pnpm keeps a copy of the lockfile it installed from, written when it is done. */
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
