// A process that runs beside this one: its output goes to a log file, and it does not outlive this process.
import { spawn } from "node:child_process";
import { closeSync, fstatSync, mkdirSync, openSync, readSync } from "node:fs";
import { dirname } from "node:path";
import { guard } from "./guardian.mjs";

/**
 * `ended` says how: `exit code 1`, `SIGKILL`, or why it could not be started. `said` is what it has logged.
 * @typedef {{ child: import("node:child_process").ChildProcess, ended: Promise<string>, over: () => boolean,
 *   said: () => string, stop: (withinMs: number) => Promise<void> }} Process
 */

/**
 * @param {{ command: string[], env?: NodeJS.ProcessEnv, logFile: string }} what
 * @returns {Process}
 */
export const startProcess = ({ command: [program, ...args], env, logFile }) => {
  mkdirSync(dirname(logFile), { recursive: true });
  const log = openSync(logFile, "a");
  const { size: loggedBefore } = fstatSync(log);
  // Ctrl-C goes to a whole process group: in one of its own, a process ends when it is told to, in its turn.
  const child = spawn(program, args, { env, stdio: ["ignore", log, log], detached: true });
  closeSync(log);
  guard(child);
  let over = false;
  const ended = new Promise((resolve) => {
    child.once("error", ({ message }) => resolve(message));
    child.once("exit", (code, signal) => resolve(signal ?? `exit code ${code}`));
  }).then((/** @type {string} */ how) => {
    over = true;
    return how;
  });
  return {
    child,
    ended,
    over: () => over,
    said: () => endOf(logFile, loggedBefore),
    async stop(withinMs) {
      child.kill("SIGTERM");
      const kill = setTimeout(() => child.kill("SIGKILL"), withinMs);
      await ended;
      clearTimeout(kill);
    },
  };
};

/** @param {string} file @param {number} from where to begin, unless that is more than 64 KiB from the end */
const endOf = (file, from) => {
  const log = openSync(file, "r");
  try {
    const { size } = fstatSync(log);
    const start = Math.max(from, size - 65_536);
    const end = Buffer.alloc(size - start);
    return end.subarray(0, readSync(log, end, 0, end.length, start)).toString();
  } finally {
    closeSync(log);
  }
};
