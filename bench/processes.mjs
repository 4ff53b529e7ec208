// The processes below this one, and the CPU time each has used.
import { fork } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
/** What Linux counts CPU time in. */
const tickMs = 10;

/**
 * Starts a file of this folder as a process; the first thing it says is answered with it.
 * @param {string} file
 * @param {string[]} args
 */
export const start = async (file, args = []) => {
  const child = fork(join(here, file), args);
  const [hello] = await once(child, "message");
  /** What it says next. @returns {Promise<any>} */
  const next = async () => (await once(child, "message"))[0];
  return { child, hello, next };
};

/**
 * CPU milliseconds of each child so far, by name; nothing where there is no /proc.
 * @returns {Map<string, number>}
 */
export const cpuOfChildren = () => {
  /** @type {Map<string, number>} */
  const usedMs = new Map();
  const ids = process.platform === "linux" ? readdirSync("/proc").filter((name) => /^\d+$/.test(name)) : [];
  for (const id of ids) {
    try {
      const stat = readFileSync(`/proc/${id}/stat`, "utf8");
      const [, ppid, , , , , , , , , , user, system] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      if (Number(ppid) !== process.pid) continue;
      const [program = "", script = ""] = readFileSync(`/proc/${id}/cmdline`, "utf8").split("\0");
      const service = /services\/(\w+)\/dist/.exec(script)?.[1];
      const name = service ?? basename(program.endsWith("node") ? script : program, ".mjs");
      usedMs.set(name, (Number(user) + Number(system)) * tickMs);
    } catch {
      // It has ended meanwhile.
    }
  }
  return usedMs;
};
