// Finds or fetches the programs that the deployment tests use:
//   node deploy/local/test/tools.mjs compose | helm | validator      prints the command as JSON, or why there is none
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { cacheDir, lastLine, onPath, run, withLock } from "../provision/machine.mjs";
import { fetchBinary } from "../provision/wheels.mjs";

/**
 * How to call a program, or why it is not available.
 * @typedef {{ command: string[], env?: Record<string, string> } | { reason: string }} Tool
 */

const helmModule = "helm.sh/helm/v3/cmd/helm@v3.22.0";
const validatorPackage = "kubernetes-validate==1.37.0";

/** Finds Compose 2 or later. @returns {Promise<Tool>} */
const compose = async () => {
  const cached = join(cacheDir, "bin/docker-compose");
  for (const command of [["docker", "compose"], ["docker-compose"], [cached]]) {
    const [program, ...args] = command;
    const { code, stdout } = await run(program, [...args, "version", "--short"]);
    if (code === 0 && Number.parseInt(stdout.trim().replace(/^v/, ""), 10) >= 2) return { command };
  }
  await withLock("docker-compose", () => fetchBinary("docker-compose", cached));
  return { command: [cached] };
};

/** @returns {Promise<Tool>} */
const helm = async () => {
  const cached = join(cacheDir, "bin/helm");
  for (const program of ["helm", cached]) {
    const { code, stdout } = await run(program, ["version", "--short"]);
    if (code === 0 && stdout.startsWith("v3.")) return { command: [program] };
  }
  if (!onPath("go")) return { reason: "Helm 3 is not installed, and neither is Go to build it" };
  const env = { ...process.env, GOBIN: join(cacheDir, "bin") };
  const { code, stderr } = await withLock("helm", () => run("go", ["install", helmModule], { env }));
  return code === 0 ? { command: [cached] } : { reason: `Helm cannot be built: ${lastLine(stderr)}` };
};

/** Validates manifests against the schemas of the Kubernetes API. @returns {Promise<Tool>} */
const validator = async () => {
  const folder = join(cacheDir, validatorPackage.replace("==", "-"));
  const python = onPath("python3");
  if (!python) return { reason: "python3 is not installed" };
  const found = { command: [join(folder, "bin/kubernetes-validate")], env: { PYTHONPATH: folder } };
  if (existsSync(found.command[0])) return found;
  const args = ["-m", "pip", "install", "-q", "--only-binary=:all:", "--target", folder, validatorPackage];
  const { code, stderr } = await withLock("kubernetes-validate", () => run(python, args));
  return code === 0 ? found : { reason: `pip: ${lastLine(stderr)}` };
};

/** @type {Record<string, () => Promise<Tool>>} */
const tools = { compose, helm, validator };

/** @param {string} name one of compose, helm and validator @returns {Promise<Tool>} */
export const findTool = (name) =>
  tools[name]().catch((error) => ({ reason: `${name} is not available: ${/** @type {Error} */ (error).message}` }));

if (import.meta.url === pathToFileURL(process.argv[1]).href)
  console.log(JSON.stringify(await findTool(process.argv[2])));
