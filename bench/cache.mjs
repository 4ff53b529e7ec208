// Measures a cache hit of 200 MB of which the runner has a copy, and `tar x` of the same files on the same disk. They
// alternate in the same run, and each begins on a quiet machine, because removing the files of one slows the next.
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { untilQuiet } from "./processes.mjs";
import { ms, quartiles } from "./statistics.mjs";

/** @typedef {import("../deploy/local/start/api.mjs").Api} Api */

const rounds = 5;
const limit = 1.3;
/** 200 MB in 4,000 files. */
const fill = "set +x; mkdir -p kept; for n in $(seq 4000); do head -c 50000 /dev/urandom > kept/$n; done";

/**
 * Submits a build and returns its output.
 * @param {Api} api
 * @param {string} driver lines of the manifest's driver
 * @param {string} command
 */
const outputOf = async (api, driver, command) => {
  const cache = 'cache: [{name: bench, key: [], paths: [kept]}]\njobs: [{commands: ["';
  const { output_url } = await api.json("POST", "/builds", {
    manifest: `driver:\n${driver}\n${cache}${command}"]}]\n`,
  });
  let [output, status] = ["", ""];
  for await (const { event, data } of api.stream(output_url)) {
    if (event === "end") status = data.status;
    else output += data;
  }
  if (status !== "passed") throw new Error(`The build ended as ${status}:\n${output}`);
  return output;
};

/** @param {string} archive @param {string} folder on the disk of the runner */
const extracted = async (archive, folder) => {
  const to = mkdtempSync(join(folder, "tar-"));
  const from = performance.now();
  const child = spawn("tar", ["-xf", archive, "-C", to], { stdio: "ignore" });
  const code = await new Promise((resolve, reject) => child.once("error", reject).once("exit", resolve));
  if (code !== 0) throw new Error(`tar ended with ${code}.`);
  const time = performance.now() - from;
  rmSync(to, { recursive: true });
  return time;
};

/**
 * Measures and prints. Returns whether every hit was quick enough.
 * @param {{ api: Api, folder: string, drivers: Record<string, string> }} on drivers: lines of the manifest by a name
 */
export const cacheHits = async ({ api, folder, drivers }) => {
  const archive = join(folder, "tree.tar");
  mkdirSync(folder, { recursive: true });
  const made = spawnSync("sh", ["-c", `${fill} && tar -cf tree.tar kept && rm -r kept`], { cwd: folder });
  if (made.status !== 0) throw new Error(`The files were not made: ${made.stderr}`);
  for (const driver of Object.values(drivers)) await outputOf(api, driver, fill);
  /** @type {Record<string, number[]>} */
  const times = Object.fromEntries(["tar x", ...Object.keys(drivers)].map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    await untilQuiet();
    times["tar x"]?.push(await extracted(archive, folder));
    for (const [name, driver] of Object.entries(drivers)) {
      await untilQuiet();
      const output = await outputOf(api, driver, "true");
      const seconds = /: hit: .* in ([\d.]+) s, from this runner's copy/.exec(output)?.[1];
      if (!seconds) throw new Error(`No hit of the runner's copy:\n${output}`);
      times[name]?.push(1_000 * Number(seconds));
    }
  }
  const medianOf = (/** @type {string} */ name) => quartiles(times[name] ?? [])[1] ?? Number.NaN;
  let isQuick = true;
  for (const [name, values] of Object.entries(times)) {
    const ratio = medianOf(name) / medianOf("tar x");
    if (ratio > limit) isQuick = false;
    console.log(`${name}: ${ms(quartiles(values))}, ${ratio.toFixed(2)} times tar x`);
  }
  return isQuick;
};
