// The checks that need nothing but the source, and how a step is run and shown.
import { delimiter, join } from "node:path";
import { repoRoot, run } from "../provision/machine.mjs";

/**
 * A step runs a program of node_modules/.bin, or says why it is not run here.
 * @typedef {{ name: string, args: string[] } | { name: string, reason: string }} Step
 */

/**
 * The checks, in the order in which they are run.
 * @returns {Promise<Step[]>}
 */
export const checks = async () => [
  { name: "buf lint", args: ["buf", "lint"] },
  await breaking(),
  { name: "buf generate", args: ["buf", "generate"] },
  // Left alone, biome paints in a log file too.
  { name: "biome ci", args: ["biome", "ci", ...(process.stdout.isTTY ? [] : ["--colors=off"])] },
  { name: "tsc", args: ["tsc", "-b"] },
  { name: "tsc of the scripts", args: ["tsc", "-p", "tsconfig.scripts.json"] },
];

/**
 * Runs steps one after the other under a heading each, up to the first that fails.
 * @param {Step[]} steps
 * @returns {Promise<{ failed?: string, notRun: string[] }>} the name of the step that failed; which were not run, and why
 */
export const runSteps = async (steps) => {
  const notRun = [];
  for (const step of steps) {
    heading(step.name);
    if ("reason" in step) {
      console.log(`Not run: ${step.reason}`);
      notRun.push(`${step.name} (${step.reason})`);
    } else if ((await runBin(step.args)) !== 0) {
      return { failed: step.name, notRun };
    }
  }
  return { notRun };
};

/** @param {string} name */
export const heading = (name) => console.log(`\n== ${name}`);

/**
 * Runs a program of node_modules/.bin, showing what it prints.
 * @param {string[]} command
 * @param {NodeJS.ProcessEnv} [env] on top of this process's own
 * @returns {Promise<number>} its exit code
 */
export const runBin = async ([name, ...args], env = {}) => {
  // On the PATH as well: buf looks there for its plugin.
  const bin = join(repoRoot, "node_modules/.bin");
  const path = `${bin}${delimiter}${process.env.PATH}`;
  const options = { cwd: repoRoot, env: { ...process.env, PATH: path, ...env } };
  return (await run(join(bin, name), args, { ...options, stdio: "inherit" })).code;
};

/**
 * Compares the proto files with what others have built upon: main as it was last fetched, else main here. On main
 * itself that is the commit before; where a clone has no more than one commit, what is not committed is compared with that.
 * @returns {Promise<Step>}
 */
const breaking = async () => {
  const name = "buf breaking";
  const commit = async (/** @type {string} */ ref) =>
    (await run("git", ["rev-parse", "--verify", "--quiet", `${ref}^{commit}`], { cwd: repoRoot })).stdout.trim();
  const head = await commit("HEAD");
  for (const ref of ["refs/remotes/origin/main", "refs/heads/main", "HEAD~1", "HEAD"]) {
    if (ref !== "HEAD" && (await commit(ref)) === head) continue;
    const { stdout } = await run("git", ["ls-tree", "-r", "--name-only", ref, "--", "proto"], { cwd: repoRoot });
    if (stdout.includes(".proto\n"))
      return { name: `${name} against ${ref}`, args: ["buf", "breaking", "--against", `.git#ref=${ref}`] };
  }
  return { name, reason: "there is no commit with proto files to compare with" };
};
