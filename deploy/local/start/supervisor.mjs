// Keeps a handful of processes running together: all of them, or none.
import { spawn } from "node:child_process";
import { createWriteStream, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { waitFor } from "../provision/machine.mjs";

/**
 * @typedef {{ name: string, script: string, env: NodeJS.ProcessEnv, readyUrl: string }} Part
 * @typedef {{ name: string, child: import("node:child_process").ChildProcess, ended: Promise<void>, logFile: string }} Running
 */

/** How long a process may take to become ready, and to stop before it is killed. */
const readyWithinMs = 60_000;
const stopWithinMs = 10_000;

/**
 * Starts a process whose output goes into a log file, each line after the process's name.
 * @param {Part} part
 * @param {string} logDir
 * @returns {Running}
 */
const startPart = ({ name, script, env }, logDir) => {
  mkdirSync(logDir, { recursive: true });
  const logFile = join(logDir, `${name}.log`);
  const log = createWriteStream(logFile, { flags: "a" });
  const child = spawn(process.execPath, [script], { env, stdio: ["ignore", "pipe", "pipe"] });
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on("line", (line) => log.write(`${name}: ${line}\n`));
  const ended = new Promise((resolve) => {
    child.once("error", resolve).once("close", resolve);
  }).then(() => new Promise((resolve) => log.end(() => resolve(undefined))));
  return { name, child, ended, logFile };
};

/** @param {string} url */
const answers = async (url) => {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(2_000) })).ok;
  } catch {
    return false;
  }
};

/** @param {Running} running */
const lastWords = ({ logFile }) => readFileSync(logFile, "utf8").trim().split("\n").slice(-5).join("\n");

/**
 * Starts all parts and waits until each is ready. `died` resolves with a sentence when any of them ends by itself;
 * nothing is restarted. `stop` ends them in reverse order.
 * @param {Part[]} parts
 * @param {string} logDir
 * @returns {Promise<{ died: Promise<string>, stop: () => Promise<void> }>}
 * @throws {Error} naming the part that did not become ready; all others are stopped by then
 */
export const supervise = async (parts, logDir) => {
  const running = parts.map((part) => startPart(part, logDir));
  let stopping = false;
  const died = new Promise((resolve) => {
    for (const one of running)
      void one.ended.then(() => {
        if (!stopping) resolve(`${one.name} has ended by itself (${one.logFile}):\n${lastWords(one)}`);
      });
  });
  const killAll = () => {
    for (const { child } of running) child.kill("SIGKILL");
  };
  process.once("exit", killAll);
  const stop = async () => {
    stopping = true;
    for (const { child, ended } of [...running].reverse()) {
      child.kill("SIGTERM");
      const kill = setTimeout(() => child.kill("SIGKILL"), stopWithinMs);
      await ended;
      clearTimeout(kill);
    }
    process.off("exit", killAll);
  };
  const ready = Promise.all(
    parts.map(async ({ name, readyUrl }) => {
      if (!(await waitFor(() => answers(readyUrl), { withinMs: readyWithinMs })))
        throw new Error(`${name} did not become ready within ${readyWithinMs / 1_000} s (see ${logDir}).`);
    }),
  );
  const failure = await Promise.race([
    ready.then(
      () => undefined,
      (error) => error.message,
    ),
    died,
  ]);
  if (failure === undefined) return { died, stop };
  await stop();
  throw new Error(failure);
};
