// Measures how long a build waits for its first command: in a virtual machine that has to boot, in one that was waiting,
// and in a container. All three alternate in the same run.
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { ms, quartiles } from "./statistics.mjs";

const rounds = 9;
const waitedLine = "A virtual machine was waiting";
const longestBootMs = 300_000;

/** @typedef {import("../deploy/local/start/api.mjs").Api} Api */

/**
 * Submits a build and follows its output.
 * @param {Api} api
 * @param {string} driver lines of the manifest's driver
 * @returns {Promise<{ first: number, output: string }>} milliseconds from the POST until its first command appears in the output
 */
const firstCommand = async (api, driver) => {
  const manifest = `driver:\n${driver}\nstages: [only]\njobs: [{stage: only, commands: ["true first"]}]\n`;
  const from = performance.now();
  const { output_url } = await api.json("POST", "/builds", { manifest });
  let [first, output, status] = [0, "", ""];
  for await (const { event, data } of api.stream(output_url)) {
    if (event === "end") status = data.status;
    else output += data;
    if (first === 0 && output.includes("+ true first")) first = performance.now() - from;
  }
  if (status !== "passed") throw new Error(`The build ended as ${status}:\n${output}`);
  return { first, output };
};

/** Waits until the runner has a booted machine in reserve. @param {string} metricsUrl of the runner */
const untilWarm = async (metricsUrl) => {
  for (const since = performance.now(); performance.now() - since < longestBootMs; await pause(100)) {
    const text = await (await fetch(metricsUrl)).text();
    if (/^ci_runner_warm_machines 1$/m.test(text)) return;
  }
  throw new Error("The runner keeps no booted machine in reserve.");
};

/**
 * Measures and prints. Every round has a new image, so that its first build has to boot a machine.
 * @param {{ api: Api, metricsUrl: string, disk: string, imagesDir: string, image?: string }} on
 */
export const machines = async ({ api, metricsUrl, disk, imagesDir, image }) => {
  const base = join(imagesDir, "_base/qemu/x86_64");
  mkdirSync(base, { recursive: true });
  /** @type {Record<"cold" | "warm" | "docker", number[]>} */
  const times = { cold: [], warm: [], docker: [] };
  const vm = async (/** @type {string} */ name, /** @type {boolean} */ waits) => {
    const { first, output } = await firstCommand(api, `  type: qemu\n  image: ${name}`);
    if (output.includes(waitedLine) !== waits) throw new Error(`A machine should ${waits ? "" : "not "}have waited.`);
    return first;
  };
  for (let round = -1; round < rounds; round++) {
    const name = `round${round}`;
    copyFileSync(disk, join(base, name));
    const cold = await vm(name, false);
    await untilWarm(metricsUrl);
    const docker = image
      ? (await firstCommand(api, `  type: docker\n  image: ${image}\n  workspace: /build`)).first
      : 0;
    const warm = await vm(name, true);
    await untilWarm(metricsUrl);
    if (round < 0) continue;
    for (const [kind, value] of Object.entries({ cold, warm, docker }))
      times[/** @type {keyof typeof times} */ (kind)].push(value);
  }
  print(times, image !== undefined);
};

/** @param {Record<"cold" | "warm" | "docker", number[]>} times @param {boolean} withDocker */
const print = ({ cold, warm, docker }, withDocker) => {
  /** @param {number[]} those @param {number[]} these */
  const ratio = (those, these) =>
    quartiles(those.map((value, index) => value / these[index]))
      .map((value) => value.toFixed(1))
      .join(" .. ");
  console.log(`\nFrom the POST until the first command runs, as a client sees it (${cold.length} builds each)`);
  console.log(`  virtual machine, booted   ${ms(quartiles(cold))}`);
  console.log(`  virtual machine, waiting  ${ms(quartiles(warm))}`);
  if (withDocker) console.log(`  docker driver             ${ms(quartiles(docker))}`);
  console.log(`  booted / waiting          ${ratio(cold, warm)}`);
  if (withDocker) console.log(`  waiting / docker          ${ratio(warm, docker)}`);
};
