// Starts a child process that logs to a file and ends when this process ends.
import { spawn } from "node:child_process";
import { closeSync, existsSync, fstatSync, mkdirSync, openSync, readSync } from "node:fs";
import { dirname } from "node:path";
import { machineEnvironment } from "./environment.mjs";
import { guard } from "./guardian.mjs";

/**
 * `ended` resolves with `exit code 1`, `SIGKILL`, or why the process could not start. `logged` returns its recent output.
 * @typedef {{ child: import("node:child_process").ChildProcess, ended: Promise<string>, over: () => boolean,
 *   logged: () => string, stop: (withinMs: number) => Promise<void> }} Process
 */

/**
 * Without `env`, the process gets no settings.
 * @param {{ command: string[], env?: NodeJS.ProcessEnv, logFile: string }} options
 * @returns {Process}
 */
export const startProcess = ({ command: [program, ...args], env = machineEnvironment(), logFile }) => {
  mkdirSync(dirname(logFile), { recursive: true });
  const log = openSync(logFile, "a");
  const { size: sizeBefore } = fstatSync(log);
  // Ctrl-C signals a whole process group. In a group of its own, the child waits for our signal.
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
    logged: () => endOf(logFile, sizeBefore),
    async stop(withinMs) {
      child.kill("SIGTERM");
      const kill = setTimeout(() => child.kill("SIGKILL"), withinMs);
      await ended;
      clearTimeout(kill);
    },
  };
};

/** Returns at most the last 64 KiB of a log, or that there is none. @param {string} file @param {number} from where to begin */
const endOf = (file, from) => {
  if (!existsSync(file)) return "The log was removed.";
  const log = openSync(file, "r");
  try {
    const { size } = fstatSync(log);
    // An emptied log is shorter.
    const start = Math.max(from <= size ? from : 0, size - 65_536);
    const end = Buffer.alloc(size - start);
    return end.subarray(0, readSync(log, end, 0, end.length, start)).toString();
  } finally {
    closeSync(log);
  }
};
