// `npm run counter-check`: lifts limits and runs their tests, which must fail. A test that still passes proves nothing.
// With a file as argument, only its tests.
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { install } from "../provision/install.mjs";
import { cacheDir, repoRoot } from "../provision/machine.mjs";
import { counterChecks, otherwise } from "./counter-checks.mjs";
import { heading, runBin } from "./steps.mjs";
import { prepareServers } from "./surroundings.mjs";

/** @typedef {{ fullName: string, status: string, failureMessages: string[] }} Test */

/** A test that only takes too long on a busy machine, or whose hooks fail, proves nothing. */
const provesNothing = (/** @type {Test} */ { failureMessages }, /** @type {true | undefined} */ hangs) =>
  failureMessages.some(
    (message) => message.includes("A hook before the test failed") || (!hangs && message.includes("Exceeded timeout")),
  );

const outcomeOf = (/** @type {Test} */ { status }) => (status === "failed" ? "failed for another reason" : status);

const resultFile = join(cacheDir, "counter-check.json");
const config = "deploy/local/test/counter-check.jest.cjs";

const limitsPage = readFileSync(join(repoRoot, "docs/operating/limits.md"), "utf8");

/** Returns a complaint for each fixed limit that a check lifts although the page does not list it. */
const unknownLimits = () =>
  counterChecks.flatMap(({ file, fixed = {} }) =>
    Object.keys(fixed)
      .filter((about) => !limitsPage.includes(`\n| ${about} |`))
      .map((about) => `${file}: docs/operating/limits.md has no limit called "${about}"`),
  );

/** Returns the settings of docs/operating/limits.md that refuse something and that no check lifts. */
const unchecked = () => {
  const refusing = [...limitsPage.matchAll(/\| `([A-Z_]+)` \| `/g)].map(([, name]) => name);
  const lifted = new Set(counterChecks.flatMap(({ settings = {} }) => Object.keys(settings)));
  for (const [setting, file] of Object.entries(otherwise))
    if (!existsSync(join(repoRoot, file))) throw new Error(`${setting}: there is no ${file}`);
  return refusing.filter((name) => !lifted.has(name) && !(name in otherwise));
};

/**
 * Runs one file without its limits, and returns what is wrong.
 * @param {import("./counter-checks.mjs").CounterCheck} check
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<string[]>}
 */
const runCheck = async ({ file, settings = {}, fixed = {}, fails, hangs }, env) => {
  heading(file);
  rmSync(resultFile, { force: true });
  const args = ["jest", "-c", config, "-w", "1", "--forceExit", "--json", `--outputFile=${resultFile}`];
  const lifted = { LIFTED_SETTINGS: JSON.stringify(settings), LIFTED_FIXED: JSON.stringify(fixed) };
  const titles = fails.map((title) => title.replace(/[^\w ]/g, "\\$&")).join("|");
  await runBin([...args, "-t", titles, file], { ...env, ...lifted });
  if (!existsSync(resultFile)) return [`${file}: jest did not run`];
  /** @type {{ testResults: { assertionResults: Test[] }[] }} */
  const { testResults } = JSON.parse(readFileSync(resultFile, "utf8"));
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  return fails.flatMap((title) => {
    const meant = tests.filter(({ fullName }) => fullName.includes(title));
    if (meant.length === 0) return [`${file}: no test is called "${title}"`];
    const unproven = meant.filter((test) => test.status !== "failed" || provesNothing(test, hangs));
    return unproven.map((test) => `${file}: ${outcomeOf(test)} without the limit: ${test.fullName}`);
  });
};

const checkAll = async () => {
  const [only] = process.argv.slice(2);
  await install();
  mkdirSync(cacheDir, { recursive: true });
  heading("surroundings");
  const { env, stop } = await prepareServers();
  const complaints = [...unchecked().map((name) => `No check lifts ${name}`), ...unknownLimits()];
  try {
    for (const check of counterChecks)
      if (!only || check.file.includes(only)) complaints.push(...(await runCheck(check, env)));
  } finally {
    await stop();
  }
  console.log(complaints.length === 0 ? "\nEvery test failed without its limit." : `\n${complaints.join("\n")}`);
  return complaints.length;
};

// process.exit also ends the local servers.
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));

try {
  process.exitCode = (await checkAll()) === 0 ? 0 : 1;
} catch (error) {
  console.error(/** @type {Error} */ (error).message);
  process.exitCode = 1;
}
