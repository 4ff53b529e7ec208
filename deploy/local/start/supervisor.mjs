// Keeps a handful of processes running: each starts after those it needs, and starts again when it dies.
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { waitFor } from "../provision/machine.mjs";
import { startProcess } from "./process.mjs";

/**
 * `ready` resolves with what is missing, or with nothing when the process can be used. `complaint` finds in a log
 * why the process ended.
 * @typedef {{ name: string, command: string[], env?: NodeJS.ProcessEnv, needs: string[],
 *   ready: () => Promise<string | undefined>, complaint?: (said: string) => string }} Part
 * @typedef {{ logDir: string, restart: boolean, say: (line: string) => void, giveUp: (sentence: string) => void,
 *   readyWithinMs: number, firstPauseMs: number }} How
 * @typedef {{ start: () => Promise<void>, stop: () => Promise<void> }} Kept
 */

/** How long a process may take to stop before it is killed. */
const stopWithinMs = 10_000;
/** A process that dies so soon after it became ready, or before, died quickly. */
const quickMs = 10_000;
/** After so many quick deaths in a row it is not started again. */
const maxQuickDeaths = 5;
const maxPauseMs = 30_000;

/** @param {number} ms */
const inSeconds = (ms) => `${ms / 1_000} s`;

/** @param {string} said */
const lastLines = (said) => said.trim().split("\n").slice(-5).join("\n");

/**
 * One process and those that follow it when it dies.
 * @param {Part} part
 * @param {How} how
 * @returns {Kept}
 */
const keep = (part, { logDir, restart, say, giveUp, readyWithinMs, firstPauseMs }) => {
  const { name, command, env, complaint = lastLines } = part;
  const logFile = join(logDir, `${name}.log`);
  const stopping = new AbortController();
  let current = /** @type {import("./process.mjs").Process | undefined} */ (undefined);
  let readyAt = Number.POSITIVE_INFINITY;
  let quickDeaths = 0;

  /** Starts the process and waits until it is ready. @returns {Promise<string | undefined>} why it is not */
  const startOne = async () => {
    readyAt = Number.POSITIVE_INFINITY;
    const one = startProcess({ command, env, logFile });
    current = one;
    let missing = /** @type {string | undefined} */ ("not asked yet");
    const ask = async () => {
      if (one.over()) return true;
      missing = await part.ready();
      return missing === undefined;
    };
    const reached = await waitFor(ask, { withinMs: readyWithinMs });
    if (one.over()) return `${name} ended with ${await one.ended} (${logFile}):\n${complaint(one.said())}`;
    if (!reached) return `${name} was not ready within ${inSeconds(readyWithinMs)}: ${missing} (${logFile}).`;
    readyAt = Date.now();
    return undefined;
  };

  /** Follows the running process to its death, and the next one, until it is told to stop or gives up. */
  const follow = async () => {
    for (;;) {
      const one = /** @type {import("./process.mjs").Process} */ (current);
      const how = await one.ended;
      if (stopping.signal.aborted) return;
      const words = `(${logFile}):\n${complaint(one.said())}`;
      if (!restart) return giveUp(`${name} died, ${how} ${words}`);
      quickDeaths = Date.now() - readyAt > quickMs ? 1 : quickDeaths + 1;
      if (quickDeaths === maxQuickDeaths)
        return giveUp(`${name} died ${quickDeaths} times in a row, last with ${how} ${words}`);
      const pauseMs = Math.min(firstPauseMs * 2 ** (quickDeaths - 1), maxPauseMs);
      say(`${name} died (${how}) and is started again in ${inSeconds(pauseMs)}. Its log: ${logFile}`);
      await pause(pauseMs, undefined, { signal: stopping.signal }).catch(() => {});
      if (stopping.signal.aborted) return;
      const again = startOne().then((failure) => {
        if (!stopping.signal.aborted && !current?.over()) say(failure ?? `${name} is up again.`);
      });
      void again.catch((error) => giveUp(`${name} cannot be started again: ${error.message}`));
      if (current === one) return;
    }
  };

  return {
    async start() {
      const failure = await startOne();
      if (failure) throw new Error(failure);
      void follow();
    },
    async stop() {
      stopping.abort();
      await current?.stop(stopWithinMs);
    },
  };
};

/**
 * Starts all parts, each when those it needs are ready. With `restart` a part that dies is started again, after a pause
 * that grows; `died` resolves with a sentence when a part dies too often, without `restart` when any dies.
 * `stop` ends them in reverse order.
 * @param {Part[]} parts each after those it needs
 * @param {Pick<How, "logDir" | "restart"> & Partial<How>} how
 * @returns {Promise<{ died: Promise<string>, stop: () => Promise<void> }>}
 * @throws {Error} naming the part that did not become ready; all others are stopped by then
 */
export const supervise = async (parts, how) => {
  let giveUp = (/** @type {string} */ _sentence) => {};
  const died = /** @type {Promise<string>} */ (
    new Promise((resolve) => {
      giveUp = resolve;
    })
  );
  const all = { say: console.log, readyWithinMs: 60_000, firstPauseMs: 500, ...how, giveUp };
  const kept = parts.map((part) => keep(part, all));
  const stop = async () => {
    for (const one of kept.toReversed()) await one.stop();
  };
  /** @type {Map<string, Promise<void>>} */
  const started = new Map();
  let failed = false;
  parts.forEach((part, index) => {
    const needed = Promise.all(part.needs.map((name) => started.get(name)));
    const start = needed.then(() => (failed ? undefined : kept[index].start()));
    started.set(part.name, start);
  });
  try {
    await Promise.race([Promise.all(started.values()), died.then((sentence) => Promise.reject(new Error(sentence)))]);
  } catch (error) {
    failed = true;
    await stop();
    throw error;
  }
  return { died, stop };
};
