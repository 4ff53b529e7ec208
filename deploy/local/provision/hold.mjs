// Files that one process holds at a time. Only Node's built-in modules, as in machine.mjs.
import { spawnSync } from "node:child_process";
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";

/** A process id may be reused, so the start time belongs to it. @typedef {{ pid?: number, startTime?: string }} Holder */

const startTimeAt = 19;

/** @param {number} pid @returns {string | undefined} undefined if it cannot be known */
const startTimeOf = (pid) => {
  if (process.platform !== "linux") {
    const env = { ...process.env, LC_ALL: "C", TZ: "UTC" };
    return spawnSync("ps", ["-o", "lstart=", "-p", String(pid)], { env, encoding: "utf8" }).stdout?.trim() || undefined;
  }
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[startTimeAt];
  } catch {
    return undefined;
  }
};

/** @param {number} pid */
const exists = (pid) => {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === "EPERM";
  }
};

/** @param {Holder} holder */
const isRunning = ({ pid, startTime }) =>
  typeof pid === "number" && exists(pid) && (startTimeOf(pid) ?? startTime) === startTime;

/** @param {string} file @returns {Holder | undefined} undefined if there is no file */
const holderIn = (file) => {
  try {
    return Object(JSON.parse(readFileSync(file, "utf8")));
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    if (/** @type {NodeJS.ErrnoException} */ (error).code === "ENOENT") return undefined;
    throw error;
  }
};

/** @param {string} draft @param {string} file */
const placed = (draft, file) => {
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === "EEXIST") return false;
    throw error;
  }
};

/**
 * Takes a file for this process, also from a process that has died. Returns the running process that holds it, if one does.
 * @param {string} file
 * @returns {{ pid: number } | undefined}
 */
export const take = (file) => {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, JSON.stringify({ pid: process.pid, startTime: startTimeOf(process.pid) }));
  try {
    for (;;) {
      if (placed(draft, file)) return undefined;
      const holder = holderIn(file);
      if (!holder) continue;
      if (isRunning(holder)) return /** @type {{ pid: number }} */ (holder);
      // Only one process at a time may replace the file of a dead one.
      const replacing = `${file}.next`;
      const other = take(replacing);
      if (other) return other;
      try {
        const found = holderIn(file);
        if (!found || isRunning(found)) continue;
        renameSync(draft, file);
        return undefined;
      } finally {
        release(replacing);
      }
    }
  } finally {
    rmSync(draft, { force: true });
  }
};

/** Gives up a file that this process has taken. @param {string} file */
export const release = (file) => rmSync(file, { force: true });
