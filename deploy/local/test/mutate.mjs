// `npm run mutate`: changes one rule of who may do what at a time (services/namespaces/src/domain/access.ts) and
// runs the access table, which must notice each of them. stryker.config.mjs says how.
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { install } from "../provision/install.mjs";
import { cacheDir } from "../provision/machine.mjs";
import { heading, runBin } from "./steps.mjs";
import { prepareServers } from "./surroundings.mjs";

const reportFile = join(cacheDir, "mutation.json");

/**
 * One changed rule and what became of it; `statusReason` is what the first test that failed had to say.
 * @typedef {{ status: string, statusReason?: string, replacement: string, location: { start: { line: number, column: number } } }} Mutant
 */

/** What tests say of a wrong answer. Anything else, such as a server that is gone, breaks a run but notices nothing. */
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
    if ((await runBin(["stryker", "run"], env)) !== 0) throw new Error("Stryker did not come to its end.");
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
  console.log(`\n${mutants.length - missed.length} of ${mutants.length} changed rules were noticed`);
  return mutants.length > 0 && missed.length === 0;
};

// Leaving through exit takes the local servers along.
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));

try {
  process.exitCode = report(await mutateAll()) ? 0 : 1;
} catch (error) {
  console.error(/** @type {Error} */ (error).message);
  process.exitCode = 1;
}
