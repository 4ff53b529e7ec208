// The checks that need nothing but the source, and a runner for such steps.
import { delimiter, join } from "node:path";
import { checkPage } from "../../../probe/page.mjs";
import { repoRoot, run } from "../provision/machine.mjs";

const bin = join(repoRoot, "node_modules/.bin");

/**
 * A step runs a program of node_modules/.bin, or a function that returns its complaint, or says why it cannot run here.
 * @typedef {{ name: string, args: string[] } | { name: string, check: () => Promise<string | undefined> }
 *   | { name: string, reason: string }} Step
 */

/**
 * Returns the checks in order.
 * @returns {Promise<Step[]>}
 */
export const checks = async () => [
  { name: "buf lint", args: ["buf", "lint"] },
  await breaking(),
  { name: "buf generate", args: ["buf", "generate"] },
  // Without this, biome writes colour codes into log files.
  { name: "biome ci", args: ["biome", "ci", ...(process.stdout.isTTY ? [] : ["--colors=off"])] },
  { name: "tsc", args: ["tsc", "-b"] },
  { name: "client/src/gen", check: clientTypes },
  { name: "tsc of the web page", args: ["tsc", "-p", "web"] },
  { name: "tsc of the scripts", args: ["tsc", "-p", "tsconfig.scripts.json"] },
  { name: "structure", check: structure },
  { name: "docs/isolation.md", check: isolation },
];

/** Compares the client's types with the API's description. */
const clientTypes = async () => {
  const { checkTypes } = await import("../../../client/generate.mjs");
  const complaint = await checkTypes();
  if (complaint) console.log(`${complaint}: run \`npm run client\``);
  return complaint;
};

/** Compares docs/isolation.md with the probes that exist. Runs none. */
const isolation = async () => {
  const complaint = checkPage();
  if (complaint) console.log(`${complaint}: run \`npm run probe\``);
  return complaint;
};

/** Reports the shape of the code. Returns what exceeds a limit, if anything. */
const structure = async () => {
  // Load it late, because its parser may not be installed yet.
  const { reportStructure } = await import("./structure.mjs");
  const complaint = await reportStructure();
  if (complaint) console.log(`Beyond the limits: ${complaint}`);
  return complaint;
};

/**
 * Runs steps in order, each under a heading, until one fails.
 * @param {Step[]} steps
 * @returns {Promise<{ failed?: string, notRun: string[] }>} the step that failed; the steps that were not run, and why
 */
export const runSteps = async (steps) => {
  const notRun = [];
  for (const step of steps) {
    heading(step.name);
    if ("reason" in step) {
      console.log(`Not run: ${step.reason}`);
      notRun.push(`${step.name} (${step.reason})`);
    } else {
      const failed = "check" in step ? (await step.check()) !== undefined : (await runBin(step.args)) !== 0;
      if (failed) return { failed: step.name, notRun };
    }
  }
  return { notRun };
};

/** @param {string} name */
export const heading = (name) => console.log(`\n== ${name}`);

/**
 * Runs a program of node_modules/.bin and shows its output.
 * @param {string[]} command
 * @param {NodeJS.ProcessEnv} [env] added to this process's environment
 * @returns {Promise<number>} its exit code
 */
export const runBin = ([name, ...args], env) => runShown([join(bin, name), ...args], env);

/**
 * Runs a program in the root of the repository and shows its output.
 * @param {string[]} command
 * @param {NodeJS.ProcessEnv} [env] added to the environment
 * @returns {Promise<number>} the exit code
 */
export const runShown = async ([program, ...args], env = {}) => {
  // buf looks for its plugin on the PATH.
  const path = `${bin}${delimiter}${process.env.PATH}`;
  const options = { cwd: repoRoot, env: { ...process.env, PATH: path, ...env } };
  return (await run(program, args, { ...options, stdio: "inherit" })).code;
};

/**
 * Compares the proto files with what others build on: the commit where this branch left origin/main or main. On main
 * itself it takes the previous commit. In a clone with a single commit it compares uncommitted changes with that commit.
 * @returns {Promise<Step>}
 */
const breaking = async () => {
  const name = "buf breaking";
  const git = async (/** @type {string[]} */ ...args) => (await run("git", args, { cwd: repoRoot })).stdout.trim();
  const head = await git("rev-parse", "HEAD");
  for (const ref of ["refs/remotes/origin/main", "refs/heads/main", "HEAD~1", "HEAD"]) {
    const base = await git("merge-base", "HEAD", ref);
    if (!base || (ref !== "HEAD" && base === head)) continue;
    const files = await git("ls-tree", "-r", "--name-only", base, "--", "proto");
    if (/\.proto$/m.test(files))
      return { name: `${name} since ${ref}`, args: ["buf", "breaking", "--against", `.git#ref=${base}`] };
  }
  return { name, reason: "no commit has proto files to compare with" };
};
