// Ends the child processes of this process when it dies, even by kill -9, and then removes its temporary folders.
//   node guardian.mjs [file]  reads `+pid`, `-pid` and `=folder` lines, and does so when its input closes
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { release, take } from "../provision/hold.mjs";
import { waitFor } from "../provision/machine.mjs";
import { machineEnvironment } from "./environment.mjs";

const self = fileURLToPath(import.meta.url);

/** @type {import("node:stream").Writable | undefined} */
let guardian;
/**
 * Holds a file as long as children run, also after this process has died. Waits until those of a dead process have ended.
 * @param {string} file
 */
export const guardWith = async (file) => {
  let isTaken = take(file);
  if (isTaken) console.log("Waiting until the processes of a killed start have ended ...");
  for (; isTaken; isTaken = take(file)) await pause(50);
  release(file);
  guardian = open(file);
  await waitFor(() => existsSync(file), { withinMs: 10_000 });
};

/** @param {readonly string[]} files */
const open = (...files) => {
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

/**
 * Makes a folder that is removed at the latest when this process has ended.
 * @param {string} prefix
 * @param {string} [parent]
 */
export const temporaryFolder = (prefix, parent = tmpdir()) => {
  const folder = mkdtempSync(join(parent, prefix));
  guardian ??= open();
  guardian.write(`=${folder}\n`);
  return folder;
};

/** @param {number} pid @param {NodeJS.Signals | 0} signal */
const send = (pid, signal) => {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
};

/** Even without a file, on a full disk, the children must end. @param {string} file */
const mayTake = (file) => {
  try {
    return !take(file);
  } catch {
    return false;
  }
};

const main = async () => {
  const [, , file] = process.argv;
  const holds = file !== undefined && mayTake(file);
  /** @type {Set<number>} */
  const remaining = new Set();
  /** @type {string[]} */
  const folders = [];
  for await (const line of createInterface({ input: process.stdin })) {
    if (line.startsWith("=")) folders.push(line.slice(1));
    else if (line.startsWith("+")) remaining.add(Number(line.slice(1)));
    else remaining.delete(Number(line.slice(1)));
  }
  for (const pid of remaining) send(pid, "SIGTERM");
  const until = Date.now() + 10_000;
  while (Date.now() < until && [...remaining].some((pid) => send(pid, 0))) await pause(50);
  for (const pid of remaining) send(pid, "SIGKILL");
  await waitFor(() => ![...remaining].some((pid) => send(pid, 0)), { withinMs: 5_000 });
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  if (holds) release(file);
};

if (process.argv[1] === self) await main();
