// Reads V8's CPU profiles and sums up the time by function and place.
import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { repoRoot } from "../deploy/local/provision/machine.mjs";

/** @typedef {{ id: number, callFrame: { functionName: string, url: string, lineNumber: number } }} Node */
/** @typedef {{ nodes: Node[], samples: number[], timeDeltas: number[] }} Profile */

/** Time in which the process waited. */
const isIdle = (/** @type {string} */ name) => name === "(idle)" || name === "(program)" || name === "(root)";

/** Returns the package of a library's file, or the path of an own file. @param {string} url */
const placeOf = (url) => {
  if (!url.startsWith("file:") && !url.startsWith("/")) return url || "V8";
  const file = url.startsWith("file:") ? fileURLToPath(url) : url;
  const library = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1];
  return library ?? relative(repoRoot, file);
};

/**
 * Returns the busy time of a profile in milliseconds, and the time spent in each function itself and in each place.
 * @param {Profile} profile
 */
const selfTimes = ({ nodes, samples, timeDeltas }) => {
  const byId = new Map(nodes.map((node) => [node.id, node.callFrame]));
  /** @type {Map<string, number>} */
  const functions = new Map();
  /** @type {Map<string, number>} */
  const places = new Map();
  let busyMs = 0;
  for (const [nth, id] of samples.entries()) {
    const frame = byId.get(id);
    if (!frame || isIdle(frame.functionName)) continue;
    const ms = (timeDeltas[nth] ?? 0) / 1_000;
    const place = placeOf(frame.url);
    const name = `${frame.functionName || "(anonymous)"} ${place}:${frame.lineNumber + 1}`;
    busyMs += ms;
    functions.set(name, (functions.get(name) ?? 0) + ms);
    places.set(place, (places.get(place) ?? 0) + ms);
  }
  return { busyMs, functions, places };
};

/** @param {Map<string, number>} times @param {number} busyMs @param {number} count */
const top = (times, busyMs, count) =>
  [...times]
    .sort(([, a], [, b]) => b - a)
    .slice(0, count)
    .map(([name, ms]) => `  ${((100 * ms) / busyMs).toFixed(1).padStart(5)} %  ${name}`);

/**
 * Prints the functions and places that took most time of a process.
 * @param {string} service
 * @param {string} file
 */
export const printProfile = (service, file) => {
  const { busyMs, functions, places } = selfTimes(JSON.parse(readFileSync(file, "utf8")));
  console.log(`\n${service}: ${(busyMs / 1_000).toFixed(1)} s busy (${file})\n by function`);
  console.log(top(functions, busyMs, 20).join("\n"));
  console.log(` by file and library\n${top(places, busyMs, 12).join("\n")}`);
};
