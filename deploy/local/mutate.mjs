// `npm run mutate`: changes one rule of who may do what at a time (services/namespaces/src/domain/access.ts) and
// runs the access table, which must notice each of them. stryker.config.mjs says how.
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { install } from "./install.mjs";
import { cacheDir } from "./machine.mjs";
import { heading, runBin } from "./steps.mjs";
import { prepareServers } from "./surroundings.mjs";

const reportFile = join(cacheDir, "mutation.json");

/**
 * Every mutant and what became of it.
 * @returns {Promise<string[]>}
 */
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
  /** @type {{ files: Record<string, { mutants: { status: string }[] }> }} */
  const { files } = JSON.parse(readFileSync(reportFile, "utf8"));
  return Object.values(files).flatMap(({ mutants }) => mutants.map(({ status }) => status));
};

// Leaving through exit takes the local servers along.
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));

try {
  const outcomes = await mutateAll();
  // A mutant that timed out or broke the run was not noticed by any expectation.
  const killed = outcomes.filter((status) => status === "Killed").length;
  console.log(`\n${killed} of ${outcomes.length} mutants killed`);
  process.exitCode = outcomes.length > 0 && killed === outcomes.length ? 0 : 1;
} catch (error) {
  console.error(/** @type {Error} */ (error).message);
  process.exitCode = 1;
}
