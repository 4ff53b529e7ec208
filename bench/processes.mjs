// The processes below this one, the CPU time each has used, and the memory it holds.
import { fork } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
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
 * What `measure` finds of each child, by name; nothing where there is no /proc.
 * @param {(id: string, stat: string[]) => number} measure gets the fields of its stat file, from the state on
 * @returns {Map<string, number>}
 */
const ofChildren = (measure) => {
  /** @type {Map<string, number>} */
  const found = new Map();
  const ids = process.platform === "linux" ? readdirSync("/proc").filter((name) => /^\d+$/.test(name)) : [];
  for (const id of ids) {
    try {
      const stat = readFileSync(`/proc/${id}/stat`, "utf8");
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      if (Number(fields[1]) !== process.pid) continue;
      const [program = "", script = ""] = readFileSync(`/proc/${id}/cmdline`, "utf8").split("\0");
      const service = /services\/(\w+)\/dist/.exec(script)?.[1];
      const name = service ?? basename(program.endsWith("node") ? script : program, ".mjs");
      found.set(name, (found.get(name) ?? 0) + measure(id, fields));
    } catch {
      // It has ended meanwhile.
    }
  }
  return found;
};

/** CPU milliseconds of each child so far, by name. */
export const cpuOfChildren = () => ofChildren((_id, stat) => (Number(stat[11]) + Number(stat[12])) * tickMs);

/** Waits until all children together take less than a tenth of a core, five minutes at most. */
export const untilIdle = async () => {
  const total = () => [...cpuOfChildren().values()].reduce((sum, ms) => sum + ms, 0);
  const lookMs = 3_000;
  for (let looks = 0; looks < 100; looks++) {
    const before = total();
    await delay(lookMs);
    if (total() - before < lookMs / 10) return;
  }
};

/** Bytes of memory that each child holds at this moment (its resident set), by name. */
export const memoryOfChildren = () =>
  ofChildren((id) => Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${id}/status`, "utf8"))?.[1]) * 1024);
