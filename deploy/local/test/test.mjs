// `npm test`: installs, checks and tests everything, from a clean clone with nothing but Node and npm.
// With arguments for jest, it prepares only what the chosen files need: `npm test -- services/builds`.
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { buildWeb } from "../provision/build.mjs";
import { install } from "../provision/install.mjs";
import { cacheDir, repoRoot, run } from "../provision/machine.mjs";
import { everything, needsOfAll } from "./needs.mjs";
import { checks, heading, runShown, runSteps } from "./steps.mjs";
import { prepareSurroundings } from "./surroundings.mjs";

const jest = join(repoRoot, "node_modules/jest/bin/jest.js");
const resultFile = join(cacheDir, "jest.json");
const chosen = process.argv.slice(2);
const isWhole = chosen.length === 0;
const jestArgs = isWhole ? ["--selectProjects", "unit", "service", "system"] : chosen;

/**
 * @typedef {{ passed: number, failed: number, notRun: string[] }} Outcome
 */

/** @returns {Promise<Outcome>} */
const testAll = async () => {
  await install();
  const needs = isWhole ? everything : needsOfAll(await chosenFiles());
  const { env, notRun, stop } = await prepareSurroundings(needs);
  try {
    const checked = await runSteps(isWhole ? [...(await checks()), webStep] : preparation(needs));
    notRun.push(...checked.notRun);
    if (checked.failed) return { passed: 0, failed: 1, notRun: [`the tests (${checked.failed} failed)`] };
    const outcome = await runJest(env);
    return { ...outcome, notRun: [...notRun, ...outcome.notRun] };
  } finally {
    await stop();
  }
};

/** Returns the test files that jest selects. @returns {Promise<string[]>} */
const chosenFiles = async () => {
  const { stdout } = await run(process.execPath, [jest, "--listTests", "--json", ...jestArgs], { cwd: repoRoot });
  return JSON.parse(stdout.slice(stdout.indexOf("[")) || "[]");
};

/** @type {import("./steps.mjs").Step} */
const webStep = {
  name: "web page",
  check: async () => {
    await buildWeb();
    return undefined;
  },
};

/** Returns the steps that the chosen files depend on. @param {import("./needs.mjs").Needs} needs */
const preparation = (needs) => [
  ...(existsSync(join(repoRoot, "libs/proto/src/gen")) ? [] : [{ name: "buf generate", args: ["buf", "generate"] }]),
  ...(needs.build ? [{ name: "tsc", args: ["tsc", "-b"] }] : []),
  ...(needs.web ? [webStep] : []),
];

/**
 * Runs the tests on the Node.js of the services.
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<Outcome>}
 */
const runJest = async (env) => {
  heading("jest");
  mkdirSync(cacheDir, { recursive: true });
  rmSync(resultFile, { force: true });
  // A failed test may leave a connection open: without --forceExit jest would wait for it instead of reporting.
  const options = ["--forceExit", "--json", `--outputFile=${resultFile}`];
  const code = await runShown([env.CI_NODE ?? process.execPath, jest, ...options, ...jestArgs], env);
  const { passed, failed, notRun } = readResult();
  // jest can fail without a failed test, for example if a pattern matches no file.
  return { passed, failed: code !== 0 && failed === 0 ? 1 : failed, notRun };
};

/** @returns {Outcome} */
const readResult = () => {
  try {
    const result = JSON.parse(readFileSync(resultFile, "utf8"));
    /** @type {{ status: string, title: string }[]} */
    const tests = result.testResults.flatMap((/** @type {any} */ file) => file.assertionResults);
    const notRun = tests.filter(({ status }) => status !== "passed" && status !== "failed").map(({ title }) => title);
    // A file that could not be loaded has no tests to count.
    return { passed: result.numPassedTests, failed: result.numFailedTests + result.numRuntimeErrorTestSuites, notRun };
  } catch {
    return { passed: 0, failed: 1, notRun: ["the tests (jest crashed)"] };
  }
};

// process.exit also ends the local servers.
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));

const { passed, failed, notRun } = await testAll().catch((error) => {
  console.error(error.message);
  return { passed: 0, failed: 1, notRun: ["the tests"] };
});
console.log(notRun.length > 0 ? `\nNot run: ${notRun.join("; ")}` : "");
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
