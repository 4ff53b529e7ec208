// `npm run check`: lint, types, proto files and the shape of the code. Needs no database and no engine.
import { install } from "../provision/install.mjs";
import { checks, runSteps } from "./steps.mjs";

try {
  await install();
  const { failed } = await runSteps(await checks());
  console.log(failed ? `\nFailed: ${failed}` : "\nAll checks passed");
  process.exitCode = failed ? 1 : 0;
} catch (error) {
  console.error(/** @type {Error} */ (error).message);
  process.exitCode = 1;
}
