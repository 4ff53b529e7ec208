// Keeps a few processes running: each starts after those it needs, and starts again when it dies.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { waitFor } from "../provision/machine.mjs";
import { startProcess } from "./process.mjs";

/**
 * `ready` says what the process is waiting for, or returns undefined if it is ready. `complaint` extracts from its log
 * why it ended.
 * @typedef {{ name: string, command: string[], env?: NodeJS.ProcessEnv, needs: string[],
 *   ready: () => Promise<string | undefined>, complaint?: (logged: string) => string }} Part
 * @typedef {{ logDir: string, dataDir?: string, restart: boolean, say: (line: string) => void, giveUp: (sentence: string) => void,
 *   readyWithinMs: number, firstPauseMs: number }} Options
 * @typedef {{ start: () => Promise<void>, replace: () => Promise<string | undefined>, stop: () => Promise<void> }} Kept
 */

/** How long a process may take to stop before it is killed. */
const stopWithinMs = 10_000;
/** A process died quickly if it was ready for less than this, or never. */
const quickMs = 10_000;
const maxQuickDeaths = 5;
const maxPauseMs = 30_000;

/** @param {number} ms */
const inSeconds = (ms) => `${ms / 1_000} s`;

/** @param {string} logged */
const lastLines = (logged) => logged.trim().split("\n").slice(-5).join("\n");

/**
 * Runs one part: a process, and the next one when it dies.
 * @param {Part} part
 * @param {Options} options
 * @returns {Kept}
 */
const keep = (part, { logDir, dataDir, restart, say, giveUp, readyWithinMs, firstPauseMs }) => {
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
    let missing = /** @type {string | undefined} */ ("not checked yet");
    const isReady = async () => {
      if (one.over()) return true;
      missing = await part.ready();
      return missing === undefined;
    };
    const settled = await waitFor(isReady, { withinMs: readyWithinMs });
    if (one.over()) return `${name} ended with ${await one.ended} (${logFile}):\n${complaint(one.logged())}`;
    if (!settled) return `${name} was not ready within ${inSeconds(readyWithinMs)}: ${missing} (${logFile}).`;
    readyAt = Date.now();
    return undefined;
  };

  /** Restarts the process whenever it dies, until it is stopped, replaced or given up. */
  const follow = async () => {
    for (;;) {
      const one = /** @type {import("./process.mjs").Process} */ (current);
      const how = await one.ended;
      const isOver = () => stopping.signal.aborted || current !== one;
      if (isOver()) return;
      if (dataDir && !existsSync(dataDir))
        return giveUp(
          `${name} died (${how}), and ${dataDir} is gone: stop Service CI before you remove its data folder.`,
        );
      const details = `(${logFile}):\n${complaint(one.logged())}`;
      if (!restart) return giveUp(`${name} died, ${how} ${details}`);
      quickDeaths = Date.now() - readyAt > quickMs ? 1 : quickDeaths + 1;
      if (quickDeaths === maxQuickDeaths)
        return giveUp(`${name} died ${quickDeaths} times in a row, most recently with ${how} ${details}`);
      const pauseMs = Math.min(firstPauseMs * 2 ** (quickDeaths - 1), maxPauseMs);
      say(`${name} died (${how}). Restarting it in ${inSeconds(pauseMs)}. Its log: ${logFile}`);
      await pause(pauseMs, undefined, { signal: stopping.signal }).catch(() => {});
      if (isOver()) return;
      const again = startOne().then((failure) => {
        if (!stopping.signal.aborted && current && !current.over()) say(failure ?? `${name} is up again.`);
      });
      void again.catch((error) => giveUp(`${name} could not be restarted: ${error.message}`));
      if (current === one) return;
    }
  };

  return {
    async start() {
      const failure = await startOne();
      if (failure) throw new Error(failure);
      void follow();
    },
    async replace() {
      const old = current;
      // The old process's follower sees that it is no longer current, and ends.
      current = undefined;
      quickDeaths = 0;
      await old?.stop(stopWithinMs);
      if (stopping.signal.aborted) return undefined;
      const failure = await startOne();
      if (stopping.signal.aborted) return undefined;
      if (!failure) void follow();
      return failure;
    },
    async stop() {
      stopping.abort();
      await current?.stop(stopWithinMs);
    },
  };
};

/**
 * Starts all parts, each when those it needs are ready. With `restart`, a part that dies is restarted after a pause that
 * doubles each time; `died` resolves with a sentence when a part dies too often, or after `dataDir` was removed; without
 * `restart`, when any part dies. `replace` restarts one part and returns why it did not become ready. `stop` ends all
 * parts in reverse order.
 * @param {Part[]} parts each after those it needs
 * @param {Pick<Options, "logDir" | "restart"> & Partial<Options>} options
 * @returns {Promise<{ died: Promise<string>, replace: (name: string) => Promise<string | undefined>,
 *   stop: () => Promise<void> }>}
 * @throws {Error} naming the part that did not become ready; by then the others are stopped
 */
export const supervise = async (parts, options) => {
  let giveUp = (/** @type {string} */ _sentence) => {};
  const died = /** @type {Promise<string>} */ (
    new Promise((resolve) => {
      giveUp = resolve;
    })
  );
  const complete = { say: console.log, readyWithinMs: 60_000, firstPauseMs: 500, ...options, giveUp };
  const kept = parts.map((part) => keep(part, complete));
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
  const replace = async (/** @type {string} */ name) => kept[parts.findIndex((part) => part.name === name)]?.replace();
  return { died, replace, stop };
};
