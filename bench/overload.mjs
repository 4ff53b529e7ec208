// `npm run overload`: starts a system and attacks it in eight ways, while an innocent user works at the same time.
// Fails if a process exceeds the chart's memory limit, a response is a 5xx other than 503 with Retry-After, or the
// innocent user waits too long. docs/operating/limits.md shows the figures.
//   --only NAME   one attack: submissions, queue, followers, stalled, webhooks, hanging, output or uploads
//   --scale 0.1   a tenth of the load; the figures are then only printed
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { build } from "../deploy/local/provision/build.mjs";
import { install } from "../deploy/local/provision/install.mjs";
import { run } from "../deploy/local/provision/machine.mjs";
import { runCommand } from "../deploy/local/start/cleanup.mjs";
import { memoryLimits } from "../deploy/local/start/memory.mjs";
import { figuresFile } from "../docs/operating/overload.mjs";
import { machine } from "./all/results.mjs";
import { followers } from "./overload/followers.mjs";
import { hanging } from "./overload/hanging.mjs";
import { meter } from "./overload/meter.mjs";
import { output } from "./overload/output.mjs";
import { queue } from "./overload/queue.mjs";
import { stalled } from "./overload/stalled.mjs";
import { submissions } from "./overload/submissions.mjs";
import { startAttacked } from "./overload/system.mjs";
import { uploads } from "./overload/uploads.mjs";
import { webhooks } from "./overload/webhooks.mjs";
import { peakMemoryOfChildren } from "./processes.mjs";

/**
 * An attack. `run` measures the load's requests with the meter, and may return a note for the table.
 * @typedef {{ name: string, title: string, settings?: Record<string, string>,
 *   run: (at: import("./overload/system.mjs").Attacked, meter: import("./overload/meter.mjs").Meter, scale: number) =>
 *     Promise<string | void> }} Scenario
 * @typedef {import("../docs/operating/overload.mjs").Figures} Figures
 */

/** @type {Scenario[]} */
const scenarios = [submissions, queue, followers, stalled, webhooks, hanging, output, uploads];
/** The longest that the innocent user may wait for a response. */
const patienceMs = 2_000;
const MiB = 1024 ** 2;

const { values: flags } = parseArgs({
  options: { only: { type: "string" }, scale: { type: "string", default: "1" } },
});
const scale = Number(flags.scale);
const limits = await memoryLimits();

/**
 * Runs one attack on a fresh system.
 * @param {Scenario} scenario
 * @returns {Promise<{ figures: Figures, complaints: string[] }>}
 */
const measure = async ({ name, title, settings = {}, run }) => {
  const at = await startAttacked(settings);
  try {
    const load = meter();
    const innocent = await at.startInnocent();
    const attack = run(at, load, scale).then((note) => ({ note: note ?? "" }));
    const ended = await Promise.race([attack, at.died]);
    if (typeof ended === "string") throw new Error(`${name}: ${ended}`);
    const innocentLoad = await innocent.stop();
    const peaks = peakMemoryOfChildren();
    const memory = Object.fromEntries(
      Object.keys(limits).map((process) => [process, Math.round((peaks.get(process) ?? 0) / MiB)]),
    );
    const complaints = [
      ...Object.keys(limits).flatMap((process) =>
        memory[process] > limits[process] ? `${process} took ${memory[process]} MiB of ${limits[process]}` : [],
      ),
      ...[...load.failures(), ...innocentLoad.failures].map((failure) => `failed: ${failure}`),
      ...(innocentLoad.maxMs > patienceMs
        ? [`the innocent user waited ${Math.round(innocentLoad.maxMs)} ms for ${innocentLoad.slowest}`]
        : []),
      ...(innocentLoad.requests === 0 ? ["the innocent user was not served"] : []),
    ];
    const { requests, refused, p99Ms } = load.figures();
    const innocents = { innocentP99Ms: innocentLoad.p99Ms, innocentMaxMs: innocentLoad.maxMs };
    return { figures: { name, title, requests, refused, p99Ms, ...innocents, memory, notes: ended.note }, complaints };
  } finally {
    await at.stop();
  }
};

/** @param {Figures} figures */
const shown = ({ requests, refused, p99Ms, innocentP99Ms, innocentMaxMs, memory, notes }) =>
  [
    `  ${requests} requests, ${refused} refused, p99 ${Math.round(p99Ms)} ms${notes && `; ${notes}`}`,
    `  innocent user: p99 ${Math.round(innocentP99Ms)} ms, longest ${Math.round(innocentMaxMs)} ms`,
    `  MiB at most: ${Object.entries(memory)
      .map(([process, mebibytes]) => `${process} ${mebibytes}`)
      .join(", ")}`,
  ].join("\n");

const commit = async () => (await run("git", ["rev-parse", "--short", "HEAD"])).stdout.trim();

const overload = async () => {
  await install();
  await build();
  await build(["libs/testkit"]);
  const chosen = scenarios.filter(({ name }) => !flags.only || flags.only === name);
  if (chosen.length === 0) throw new Error(`No attack is called "${flags.only}".`);
  let failed = false;
  /** @type {Figures[]} */
  const measured = [];
  for (const scenario of chosen) {
    const { complaints, figures } = await measure(scenario).catch((/** @type {Error} */ { message }) => ({
      complaints: [message],
      figures: undefined,
    }));
    if (figures) measured.push(figures);
    console.log(`\n${scenario.title}${figures ? `\n${shown(figures)}` : ""}`);
    for (const complaint of complaints) console.log(`  FAILED: ${complaint}`);
    failed ||= complaints.length > 0;
  }
  const date = new Date().toISOString().slice(0, 10);
  if (scale === 1 && chosen.length === scenarios.length && !failed) {
    const page = { date, machine: await machine(), commit: await commit(), scale, limits, scenarios: measured };
    writeFileSync(figuresFile, `${JSON.stringify(page, null, 2)}\n`);
    await run(process.execPath, [new URL("../docs/operating/generate.mjs", import.meta.url).pathname]);
  }
  return failed ? 1 : 0;
};

for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
await runCommand(overload);
