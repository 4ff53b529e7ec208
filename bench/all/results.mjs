// The committed results: bench/results.json holds the figures, bench/results.md shows them.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { arch, cpus, totalmem } from "node:os";
import { run } from "../../deploy/local/provision/machine.mjs";
import { findNode } from "../../deploy/local/provision/node.mjs";

/** The median of the rounds, and the least and greatest value. */
/** @typedef {{ median: number, min: number, max: number }} Spread */
/**
 * @typedef {{ id: string, title: string, unit: string, less?: boolean, referenceTitle: string, ours: Spread, reference: Spread,
 *   ratio: Spread, note?: string, cpuMs?: number, requests?: number }} Figure
 * @typedef {{ cpuPercent: number, servicesPercent: number, requestsPerSecond: number, idleMB: number, idleProportionalMB: number,
 *   loadedMB: number, loadedProportionalMB: number }} Footprint
 * @typedef {{ date: string, commit: string, machine: string, rounds: number, figures: Figure[], footprint: Footprint }} Results
 */

const file = new URL("../results.json", import.meta.url);
const page = new URL("../results.md", import.meta.url);
/** A ratio that is this much worse than the committed one is reported. */
const tolerance = 1.15;

/** @param {number[]} values @returns {Spread} */
export const spreadOf = (values) => {
  const sorted = [...values].sort((a, b) => a - b);
  return { median: sorted[(sorted.length - 1) >> 1], min: sorted[0], max: /** @type {number} */ (sorted.at(-1)) };
};

/** Describes the machine, and the Node.js of the services. */
export const machine = async () => {
  const { stdout } = await run(await findNode(), ["--version"]);
  const memory = `${Math.round(totalmem() / 1024 ** 3)} GiB`;
  return `${cpus().length} cores (${cpus()[0].model}), ${memory}, ${arch()}, Node.js ${stdout.trim().slice(1)}`;
};

/** Returns a sentence for each figure that is slower than the committed one. @param {Results} results */
export const slowerThanCommitted = ({ figures }) => {
  if (!existsSync(file)) return [];
  const committed = /** @type {Results} */ (JSON.parse(readFileSync(file, "utf8")));
  return figures.flatMap(({ id, title, less, ratio }) => {
    const before = committed.figures.find((figure) => figure.id === id)?.ratio.median;
    if (before === undefined) return [];
    const worse = less ? ratio.median / before : before / ratio.median;
    return worse > tolerance
      ? [`${title}: ${ratio.median.toFixed(3)} times its reference, ${before.toFixed(3)} in bench/results.md`]
      : [];
  });
};

/** @param {number} resident @param {number} proportional */
const memory = (resident, proportional) =>
  `${Math.round(resident)} MB (${Math.round(proportional)} MB if shared pages count once)`;

const digits = (/** @type {number} */ value) =>
  value.toLocaleString("en", { maximumFractionDigits: value < 100 ? 1 : 0 });

/** @param {Spread} spread @param {string} unit */
const shown = ({ median, min, max }, unit) => `${digits(median)}${unit} (${digits(min)} to ${digits(max)})`;

/** @param {Results} results */
const rendered = ({ date, commit, machine, rounds, figures, footprint }) => `# Results of \`npm run bench -- all\`

Generated, do not edit. Measured on ${date} at commit ${commit}, on ${machine}: everything on this machine, medians of ${rounds} rounds
with the least and the greatest value. In each round, every figure took turns with its reference. A ratio above 1 is faster than
the reference for rates, and slower for times. "Processor" and "MongoDB" are what all services and servers took for one operation.

| What | Service CI | Reference | Ratio | Processor | MongoDB |
|---|---|---|---|---|---|
${figures
  .map(({ title, unit, referenceTitle, ours, reference, ratio, note, cpuMs, requests }) =>
    [
      `| ${title}${note ? `, ${note}` : ""}`,
      shown(ours, unit),
      `${referenceTitle}: ${shown(reference, unit)}`,
      ratio.median.toFixed(3),
      cpuMs === undefined ? "" : `${cpuMs.toFixed(1)} ms`,
      requests === undefined ? "" : `${requests.toFixed(1)} requests`,
    ].join(" | "),
  )
  .map((line) => `${line} |`)
  .join("\n")}

Idle for a minute, five minutes after the start: ${footprint.servicesPercent.toFixed(2)} % of a core for the six services,
${footprint.cpuPercent.toFixed(1)} % with MongoDB and NATS, and ${footprint.requestsPerSecond.toFixed(1)} requests to MongoDB a second. Memory of the six services:
${memory(footprint.idleMB, footprint.idleProportionalMB)} when idle, ${memory(footprint.loadedMB, footprint.loadedProportionalMB)} after the rounds.
`;

/** @param {Results} results */
export const write = (results) => {
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
  writeFileSync(page, rendered(results));
};
