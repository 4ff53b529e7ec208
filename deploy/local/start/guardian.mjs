// Ends the child processes of this process when it dies, even by kill -9, and then removes its temporary folders.
//   node guardian.mjs [file]  reads `+pid`, `-pid`, `=folder` and `!folder` lines, and does so when its input closes
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
 * Makes a folder that the guardian removes after this process and its children have ended, or 15 s after this process if
 * a child remains.
 * @param {string} prefix
 * @param {string} [parent]
 */
export const temporaryFolder = (prefix, parent = tmpdir()) => {
  const folder = mkdtempSync(join(parent, prefix));
  guardian ??= open();
  guardian.write(`=${folder}\n`);
  return folder;
};

/** Keeps a temporary folder beyond the end of this process. @param {string} folder */
export const keepFolder = (folder) => {
  guardian?.write(`!${folder}\n`);
};

/** Removes a temporary folder now. Later, another program may make one of the same name. @param {string} folder */
export const removeFolder = (folder) => {
  remove(folder);
  keepFolder(folder);
};

/** @param {string} folder */
const remove = (folder) => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });

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

/** One folder that cannot be removed must not keep the others. @param {Iterable<string>} folders */
const removeAll = (folders) => {
  for (const folder of folders)
    try {
      remove(folder);
    } catch {
      // Nobody is left to be told.
    }
};

/** Reads lines until the input closes. Returns the processes that still run and the folders that still exist. */
const readLines = async () => {
  /** @type {Set<number>} */
  const remaining = new Set();
  /** @type {Set<string>} */
  const folders = new Set();
  for await (const line of createInterface({ input: process.stdin })) {
    const rest = line.slice(1);
    if (line.startsWith("=")) folders.add(rest);
    else if (line.startsWith("!")) folders.delete(rest);
    else if (line.startsWith("+")) remaining.add(Number(rest));
    else remaining.delete(Number(rest));
  }
  return { remaining, folders };
};

/** @param {Set<number>} remaining */
const endAll = async (remaining) => {
  for (const pid of remaining) send(pid, "SIGTERM");
  const until = Date.now() + 10_000;
  while (Date.now() < until && [...remaining].some((pid) => send(pid, 0))) await pause(50);
  for (const pid of remaining) send(pid, "SIGKILL");
  await waitFor(() => ![...remaining].some((pid) => send(pid, 0)), { withinMs: 5_000 });
};

const main = async () => {
  const [, , file] = process.argv;
  const holds = file !== undefined && mayTake(file);
  try {
    const { remaining, folders } = await readLines();
    await endAll(remaining);
    removeAll(folders);
  } finally {
    if (holds) release(file);
  }
};

if (process.argv[1] === self) await main();
