// Finds the child processes of this process, their CPU time and their memory.
import { fork } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { cpus } from "node:os";
import { basename, dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { findNode } from "../deploy/local/provision/node.mjs";

const here = dirname(fileURLToPath(import.meta.url));
/** Linux counts CPU time in ticks. */
const tickMs = 10;

/**
 * Starts a file of this folder as a process on the services' Node.js, and waits for its first message. If it fails, so does this process.
 * @param {string} file
 * @param {string[]} args
 */
export const start = async (file, args = []) => {
  const child = fork(join(here, file), args, { execPath: await findNode() });
  child.once("exit", (code) => {
    if (!code) return;
    console.error(`${file} ended with ${code}.`);
    process.exit(1);
  });
  const [hello] = await once(child, "message");
  /** Returns the next message. @returns {Promise<any>} */
  const next = async () => (await once(child, "message"))[0];
  return { child, hello, next };
};

/**
 * Returns the result of `measure` for each child, by name. Empty on systems without /proc.
 * @param {(id: string, stat: string[], name: string) => number} measure gets the fields of the stat file, from the state on
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
      const [program = "", ...args] = readFileSync(`/proc/${id}/cmdline`, "utf8").split("\0");
      const script = args.find((arg) => !arg.startsWith("-")) ?? "";
      const service = /services\/(\w+)\/dist/.exec(script)?.[1];
      const name = service ?? basename(program.endsWith("node") ? script : program, ".mjs");
      found.set(name, (found.get(name) ?? 0) + measure(id, fields, name));
    } catch {
      // The process has ended.
    }
  }
  return found;
};

/** Returns the CPU time of each child so far, in milliseconds by name. */
export const cpuOfChildren = () => ofChildren((_id, stat) => (Number(stat[11]) + Number(stat[12])) * tickMs);

/** Returns the names of the children by process id. @returns {Map<number, string>} */
export const processesOfChildren = () => {
  /** @type {Map<number, string>} */
  const ids = new Map();
  ofChildren((id, _stat, name) => {
    ids.set(Number(id), name);
    return 0;
  });
  return ids;
};

/** Waits at most five minutes until all children together use less than a tenth of a core. */
export const untilIdle = async () => {
  const total = () => [...cpuOfChildren().values()].reduce((sum, ms) => sum + ms, 0);
  const lookMs = 3_000;
  for (let looks = 0; looks < 100; looks++) {
    const before = total();
    await delay(lookMs);
    if (total() - before < lookMs / 10) return;
  }
};

/** Waits at most half a minute until this machine is nine tenths idle: a container engine cleans up after the last build. */
export const untilQuiet = async () => {
  const sum = (/** @type {number[]} */ all) => all.reduce((total, one) => total + one, 0);
  const soFar = () => {
    const times = cpus().map((cpu) => cpu.times);
    return { all: sum(times.flatMap(Object.values)), idle: sum(times.map(({ idle }) => idle)) };
  };
  for (let looks = 0; looks < 60; looks++) {
    const before = soFar();
    await delay(500);
    const now = soFar();
    if (now.idle - before.idle > 0.9 * (now.all - before.all)) return;
  }
};

/** @param {string} id @param {RegExp} line */
const statusOf = (id, line) => Number(line.exec(readFileSync(`/proc/${id}/status`, "utf8"))?.[1]) * 1024;

/** Returns the resident memory of each child, in bytes by name. */
export const memoryOfChildren = () => ofChildren((id) => statusOf(id, /^VmRSS:\s+(\d+)/m));

/** Like `memoryOfChildren`, but divides each page by the number of processes that share it, such as those of Node's code. */
export const proportionalMemoryOfChildren = () =>
  ofChildren((id) => Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${id}/smaps_rollup`, "utf8"))?.[1]) * 1024);

/** Returns the greatest resident memory that each child has had, in bytes by name. */
export const peakMemoryOfChildren = () => ofChildren((id) => statusOf(id, /^VmHWM:\s+(\d+)/m));
