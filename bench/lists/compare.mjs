// Sends the same requests to both systems in turn, so that a slow moment of the machine affects both.
import { quartiles } from "../statistics.mjs";

/**
 * @typedef {import("./requests.mjs").Request} Request
 * @typedef {Record<Request["who"], import("../../deploy/local/start/api.mjs").Api>} Callers
 * @typedef {{ request: Request, small: number[], large: number[] }} Measured
 */

/** Requests that are not counted, while V8 compiles code and MongoDB chooses its plans. */
const warmUp = 6;
const rounds = 25;
/** Repeated measurements of a row before a missed bound counts. */
const secondLooks = 4;
const nameWidth = 52;

/** @param {Callers} callers @param {Request} request */
const time = async (callers, { who, path }) => {
  const from = performance.now();
  await (await callers[who].send("GET", path)).arrayBuffer();
  return performance.now() - from;
};

const median = (/** @type {number[]} */ values) => quartiles(values)[1];
/** @param {Measured} row */
const ratio = ({ small, large }) => median(large) / median(small);
/** @param {Measured} row */
const missed = (row) => ratio(row) > row.request.bound;

/** @param {Callers} small @param {Callers} large @param {Measured} row @param {number} times */
const measureOn = async (small, large, row, times) => {
  for (let n = 0; n < times; n++) {
    const turns = /** @type {const} */ ([
      ["small", small],
      ["large", large],
    ]);
    for (const [name, callers] of n % 2 === 0 ? turns : turns.toReversed())
      row[name].push(await time(callers, row.request));
  }
};

const boundOf = (/** @type {number} */ bound) => (Number.isFinite(bound) ? bound.toFixed(1) : "").padStart(6);

/** @param {Measured} row */
const line = (row) => {
  const { who, path, bound } = row.request;
  const times = [median(row.small), median(row.large)].map((value) => `${value.toFixed(1)} ms`.padStart(9)).join("");
  const judged = `${ratio(row).toFixed(2).padStart(7)}${boundOf(bound)}${missed(row) ? "  MISSED" : ""}`;
  return `${`${path} (${who})`.padEnd(nameWidth)}${times}${judged}`;
};

/**
 * Measures every request and prints a line with the medians for each.
 * @param {string} title
 * @param {Callers} small
 * @param {Callers} large
 * @param {Request[]} requests
 * @returns {Promise<number>} how many miss their bound
 */
export const compare = async (title, small, large, requests) => {
  let misses = 0;
  console.log(`\n${title}\n${"".padEnd(nameWidth)}    small    large  ratio bound`);
  for (const request of requests) {
    await measureOn(small, large, { request, small: [], large: [] }, warmUp);
    const row = { request, small: [], large: [] };
    await measureOn(small, large, row, rounds);
    for (let n = 0; n < secondLooks && missed(row); n++) await measureOn(small, large, row, rounds);
    console.log(line(row));
    if (missed(row)) misses++;
  }
  return misses;
};

/** @param {Callers} callers @param {Request[]} requests */
export const reportAlone = async (callers, requests) => {
  for (const request of requests) {
    const times = [];
    for (let n = 0; n < warmUp; n++) times.push(await time(callers, request));
    console.log(
      `${`${request.path} (${request.who})`.padEnd(nameWidth)}${`${median(times).toFixed(1)} ms`.padStart(17)}`,
    );
  }
};
