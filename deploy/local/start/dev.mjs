// `npm run dev`: runs the whole system from source. A saved file is compiled, and the services that use it restart.
//   --fresh             delete the data of earlier starts
//   CI_INSPECT=builds   let a debugger attach to that service at 127.0.0.1:9229; further services get the next ports
import { watch } from "node:fs/promises";
import { join } from "node:path";
import { build, buildWeb } from "../provision/build.mjs";
import { repoRoot } from "../provision/machine.mjs";
import { apiAt } from "./api.mjs";
import { onStop, runCommand, stopOnSignals } from "./cleanup.mjs";
import { isPageMadeOf, servicesUsing, sourceRoots } from "./dependents.mjs";
import { signInLink, welcome } from "./first-build.mjs";
import { readOptions } from "./options.mjs";
import { serviceNames } from "./parts.mjs";
import { prepare, startedParts } from "./prepare.mjs";
import { startSystem } from "./system.mjs";

/** Editors write a file in several steps: wait this long for the last one. */
const settleMs = 30;

const inspected = () => {
  const names = (process.env.CI_INSPECT || "").split(",").filter(Boolean);
  const unknown = names.find((name) => !serviceNames.includes(name));
  if (unknown)
    throw new Error(`CI_INSPECT names no service: "${unknown}". The services are ${serviceNames.join(", ")}.`);
  return names;
};

/**
 * Compiles the services that changed files belong to, and the web page, and restarts them if that succeeds. The compiler
 * prints its own errors.
 * @param {import("./system.mjs").System} system
 * @param {string[]} paths
 */
const update = async (system, paths) => {
  const names = servicesUsing(paths);
  if (names.length === 0) return;
  const from = Date.now();
  try {
    await build(names.map((name) => `services/${name}`));
    if (isPageMadeOf(paths)) await buildWeb();
  } catch {
    console.log("Not restarted: the code does not compile.");
    return;
  }
  const compiledMs = Date.now() - from;
  const failures = await Promise.all(names.map((name) => system.replace(name)));
  for (const failure of failures) if (failure) console.log(failure);
  const restarted = names.filter((_, nth) => !failures[nth]);
  const seconds = ((Date.now() - from) / 1_000).toFixed(1);
  if (restarted.length > 0)
    console.log(`Restarted ${restarted.join(", ")} in ${seconds} s (${(compiledMs / 1_000).toFixed(1)} s compiling).`);
};

/**
 * Collects changed files from all source folders and updates the services that use them, one update at a time.
 * @param {import("./system.mjs").System} system
 */
const watchSources = (system) => {
  /** @type {Set<string>} */
  const changed = new Set();
  let working = false;
  const work = async () => {
    if (working) return;
    working = true;
    while (changed.size > 0) {
      await new Promise((resolve) => setTimeout(resolve, settleMs));
      const paths = [...changed];
      changed.clear();
      await update(system, paths);
    }
    working = false;
  };
  const follow = async (/** @type {string} */ folder) => {
    for await (const { filename } of watch(join(repoRoot, folder), { recursive: true })) {
      if (filename) changed.add(join(folder, filename));
      void work();
    }
  };
  return Promise.all(sourceRoots().map(follow));
};

const dev = async () => {
  const options = readOptions(process.argv.slice(2), process.env);
  const inspect = inspected();
  // Stack traces name the TypeScript sources, and a restart is quick: it waits for nothing and reuses compiled code.
  process.env.NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ""} --enable-source-maps`.trim();
  process.env.STOP_GRACE ||= "100ms";
  const { drivers, sample: driver, image, ...keys } = await prepare(options);
  const { adminToken } = keys;
  const { url, ownUrl, port, dataDir } = options;
  console.log(`Starting ${startedParts()} ...`);
  const guardAllow = process.env.CI_GUARD_ALLOW ?? "";
  const installation = { url, port, ...keys, guardAllow, drivers, dataDir, inspect };
  const system = await startSystem({ ...installation, restart: true });
  onStop(system.stop);
  const signIn = await signInLink(apiAt(ownUrl, adminToken, url));
  console.log(welcome(options, { adminToken, signIn, driver, image }));
  for (const [nth, name] of inspect.entries())
    console.log(`A debugger can attach to ${name} at 127.0.0.1:${9229 + nth}.`);
  console.log(`Logs are in ${join(dataDir, "logs")}. Watching the sources; Ctrl-C stops everything.`);
  void system.died.then((sentence) => console.log(`${sentence}\nThe next change of its sources starts it again.`));
  await watchSources(system);
  return 0;
};

stopOnSignals();
await runCommand(dev);
