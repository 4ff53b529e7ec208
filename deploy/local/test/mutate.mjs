// `npm run mutate`: breaks one permission rule at a time (services/namespaces/src/domain/access.ts) and runs the access
// table, which must fail each time. Configured in stryker.config.mjs.
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { install } from "../provision/install.mjs";
import { cacheDir } from "../provision/machine.mjs";
import { heading, runBin } from "./steps.mjs";
import { prepareServers } from "./surroundings.mjs";

const reportFile = join(cacheDir, "mutation.json");

/**
 * One broken rule and its outcome. `statusReason` is the message of the first test that failed.
 * @typedef {{ status: string, statusReason?: string, replacement: string, location: { start: { line: number, column: number } } }} Mutant
 */

/** Matches a failed assertion. Other failures, such as a lost server, do not prove that a test noticed the change. */
const wrongAnswer = /expect\(received\)|, but \d{3}\b/;

/** @param {Mutant} mutant */
const isNoticed = ({ status, statusReason = "" }) => status === "Killed" && wrongAnswer.test(statusReason);

/** @returns {Promise<Mutant[]>} */
const mutateAll = async () => {
  await install();
  if ((await runBin(["buf", "generate"])) !== 0) throw new Error("buf generate failed.");
  heading("surroundings");
  const { env, stop } = await prepareServers();
  try {
    heading("stryker");
    rmSync(reportFile, { force: true });
    if ((await runBin(["stryker", "run"], env)) !== 0) throw new Error("Stryker failed.");
  } finally {
    await stop();
  }
  /** @type {{ files: Record<string, { mutants: Mutant[] }> }} */
  const { files } = JSON.parse(readFileSync(reportFile, "utf8"));
  return Object.values(files).flatMap(({ mutants }) => mutants);
};

/** @param {Mutant[]} mutants */
const report = (mutants) => {
  const missed = mutants.filter((mutant) => !isNoticed(mutant));
  for (const { status, statusReason = "", replacement, location } of missed)
    console.log(`${location.start.line}:${location.start.column} ${replacement}: ${status} ${statusReason}`);
  console.log(`\n${mutants.length - missed.length} of ${mutants.length} broken rules were noticed`);
  return mutants.length > 0 && missed.length === 0;
};

// process.exit also ends the local servers.
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));

try {
  process.exitCode = report(await mutateAll()) ? 0 : 1;
} catch (error) {
  console.error(/** @type {Error} */ (error).message);
  process.exitCode = 1;
}
