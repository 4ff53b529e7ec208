// Ends the child processes of this process when it dies, even by kill -9.
//   node guardian.mjs [file]  reads `+pid` and `-pid` lines; when its input closes, it ends the remaining processes
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { release, take } from "../provision/hold.mjs";
import { machineEnvironment } from "./environment.mjs";

const self = fileURLToPath(import.meta.url);

/** @type {import("node:stream").Writable | undefined} */
let guardian;
/** @type {string[]} */
const files = [];

/** Takes a file while children run, also after this process has died. Waits until those of a dead process have ended. @param {string} file */
export const guardWith = async (file) => {
  let isTaken = take(file);
  if (isTaken) console.log("Waiting until the processes of a killed start have ended ...");
  for (; isTaken; isTaken = take(file)) await pause(50);
  release(file);
  files.push(file);
};

const open = () => {
  // Ctrl-C signals a whole process group, so the guardian has a group of its own.
  const options = { detached: true, env: machineEnvironment() };
  const child = spawn(process.execPath, [self, ...files], { ...options, stdio: ["pipe", "ignore", "ignore"] });
  child.on("error", () => {}).unref();
  child.stdin.on("error", () => {});
  return child.stdin;
};

/**
 * Ends a child when this process ends.
 * @param {import("node:child_process").ChildProcess} child
 */
export const guard = (child) => {
  if (child.pid === undefined) return;
  guardian ??= open();
  const pipe = guardian;
  pipe.write(`+${child.pid}\n`);
  child.once("exit", () => pipe.write(`-${child.pid}\n`));
};

/** @param {number} pid @param {NodeJS.Signals | 0} signal */
const send = (pid, signal) => {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
};

const main = async () => {
  const [, , file] = process.argv;
  if (file) take(file);
  /** @type {Set<number>} */
  const remaining = new Set();
  for await (const line of createInterface({ input: process.stdin })) {
    if (line.startsWith("+")) remaining.add(Number(line.slice(1)));
    else remaining.delete(Number(line.slice(1)));
  }
  for (const pid of remaining) send(pid, "SIGTERM");
  const until = Date.now() + 10_000;
  while (Date.now() < until && [...remaining].some((pid) => send(pid, 0))) await pause(50);
  for (const pid of remaining) send(pid, "SIGKILL");
  if (file) release(file);
};

if (process.argv[1] === self) await main();
