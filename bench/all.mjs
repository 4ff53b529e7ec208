// `npm run bench -- all`: every claim in one run. Each figure alternates with its reference, in several rounds. Writes
// bench/results.md, unless a ratio is 15 % worse than the committed one: then the command reports it and fails.
//   npm run bench -- all --rounds 5    five rounds instead of three
//   npm run bench -- all --accept      writes the results even if they are worse
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { sampleImage } from "../deploy/local/provision/images.mjs";
import { run } from "../deploy/local/provision/machine.mjs";
import { machine, slowerThanCommitted, spreadOf, write } from "./all/results.mjs";
import { buildRows, deliveryRows, requestRows } from "./all/rows.mjs";
import { services, startWorld } from "./all/world.mjs";
import { openDeliveries } from "./deliveries.mjs";
import { memoryOfChildren, proportionalMemoryOfChildren, start, untilQuiet } from "./processes.mjs";

/** @typedef {import("./all/rows.mjs").Row} Row */
/** @typedef {{ ours: number[], reference: number[], notes: string[], cpuMs: number, requests: number, operations: number }} Samples */

const places = 4;
const idleMs = 60_000;
/** V8 compiles code after the start, and gives memory back after about 100 and 200 s. */
const settleMs = 5 * 60_000;

/** @param {() => Map<string, number>} measure */
const ofServicesMB = (measure) => {
  const memory = measure();
  return services.reduce((sum, name) => sum + (memory.get(name) ?? 0), 0) / 1e6;
};

/** @param {import("./all/world.mjs").World} world */
const measureIdle = async (world) => {
  await pause(settleMs);
  const { cost } = await world.costOf(() => pause(idleMs));
  return {
    cpuPercent: (cost.cpuMs / idleMs) * 100,
    servicesPercent: (cost.servicesMs / idleMs) * 100,
    requestsPerSecond: (cost.requests * 1_000) / idleMs,
    idleMB: ofServicesMB(memoryOfChildren),
    idleProportionalMB: ofServicesMB(proportionalMemoryOfChildren),
  };
};

/** Measures a row once, starting with ours and the reference alternately. @param {import("./all/world.mjs").World} world @param {Row} row @param {Samples} samples @param {number} round */
const measureRow = async (world, row, samples, round) => {
  const ours = async () => {
    const { result, cost } = await world.costOf(row.ours);
    samples.ours.push(result.value);
    if (result.note) samples.notes.push(result.note);
    samples.operations += result.operations ?? 0;
    samples.cpuMs += cost.cpuMs;
    samples.requests += cost.requests;
  };
  const reference = async () => void samples.reference.push(await row.reference());
  for (const measure of round % 2 === 0 ? [reference, ours] : [ours, reference]) {
    await untilQuiet();
    await measure();
  }
};

/** @param {Row} row @param {Samples} samples @returns {import("./all/results.mjs").Figure} */
const figureOf = (
  { id, title, unit, less, referenceTitle },
  { ours, reference, notes, cpuMs, requests, operations },
) => ({
  ...{ id, title, unit, less, referenceTitle },
  ...{ ours: spreadOf(ours), reference: spreadOf(reference) },
  ratio: spreadOf(ours.map((value, round) => value / reference[round])),
  note: notes[(notes.length - 1) >> 1],
  ...(operations > 0 ? { cpuMs: cpuMs / operations, requests: requests / operations } : {}),
});

/** Returns whether nothing got slower. @param {string[]} args */
export const benchAll = async (args) => {
  const options = /** @type {const} */ ({
    rounds: { type: "string", default: "3" },
    accept: { type: "boolean", default: false },
  });
  const { values } = parseArgs({ args, options });
  const rounds = Number(values.rounds);
  const image = await sampleImage();
  const runnerDrivers = image ? "os,docker" : "os";
  const world = await startWorld({
    ...{ RUNNER_DRIVERS: runnerDrivers, DRIVERS: "os,docker,qemu", RUNNER_BUILDS: String(places) },
    ...(image ? { DOCKER_LOCAL_IMAGES: image } : {}),
  });
  /** @type {Awaited<ReturnType<typeof start>> | undefined} */
  let echo;
  try {
    console.log(`Idle for ${settleMs / 60_000} minutes, then ${idleMs / 1_000} s of it are measured ...`);
    // The reference starts afterwards, because its MongoDB driver sends requests of its own.
    const idle = await measureIdle(world);
    echo = await start("all/echo.mjs", ["front", world.mongoUrl]);
    const deliveries = await openDeliveries(world, 1);
    const rows = [
      ...(await requestRows(world, echo.hello)),
      ...buildRows(world, { image, places }),
      ...deliveryRows(deliveries),
    ];
    const all = new Map(
      rows.map((row) => [row, { ours: [], reference: [], notes: [], cpuMs: 0, requests: 0, operations: 0 }]),
    );
    for (let round = 0; round < rounds; round++) {
      console.log(`Round ${round + 1} of ${rounds} ...`);
      for (const [row, samples] of all) await measureRow(world, row, samples, round);
    }
    deliveries.close();
    const figures = [...all].map(([row, samples]) => figureOf(row, samples));
    for (const { title, unit, ours, reference, referenceTitle, ratio } of figures)
      console.log(
        `${title}: ${ours.median.toFixed(1)}${unit}; ${referenceTitle}: ${reference.median.toFixed(1)}${unit}; ratio ${ratio.median.toFixed(3)}`,
      );
    const commit = (await run("git", ["rev-parse", "--short", "HEAD"])).stdout.trim();
    const footprint = {
      ...idle,
      loadedMB: ofServicesMB(memoryOfChildren),
      loadedProportionalMB: ofServicesMB(proportionalMemoryOfChildren),
    };
    const date = new Date().toISOString().slice(0, 10);
    const results = { date, commit, machine: await machine(), rounds, figures, footprint };
    const slower = slowerThanCommitted(results);
    for (const sentence of slower) console.log(`SLOWER ${sentence}`);
    if (slower.length === 0 || values.accept) write(results);
    return slower.length === 0;
  } catch (error) {
    world.keepLogs();
    throw error;
  } finally {
    echo?.child.disconnect();
    await world.stop();
  }
};
