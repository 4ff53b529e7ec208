// Installs the packages, which everything else needs. `node install.mjs` does only that.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import "../node-version.cjs";
import { repoRoot, run } from "./machine.mjs";

/** The pinned version of pnpm, for npx. */
export const pnpm = "pnpm@12.21.0";

/**
 * Makes sure that node_modules matches the lockfile.
 * @throws {Error} with one sentence on what to do
 */
export const install = async () => {
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

if (process.argv[1] === fileURLToPath(import.meta.url))
  await install().catch((/** @type {Error} */ error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
