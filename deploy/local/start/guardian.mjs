// Ends processes that this one started when this one is gone, even by kill -9.
//   node guardian.mjs      reads `+pid` and `-pid` from standard input; at its end, ends the processes that are left
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const self = fileURLToPath(import.meta.url);

/** @type {import("node:stream").Writable | undefined} */
let guardian;

const open = () => {
  // Ctrl-C goes to a whole process group: the guardian has one of its own.
  const child = spawn(process.execPath, [self], { detached: true, stdio: ["pipe", "ignore", "ignore"] });
  child.on("error", () => {}).unref();
  child.stdin.on("error", () => {});
  return child.stdin;
};

/**
 * Makes sure that a child does not outlive this process.
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
  /** @type {Set<number>} */
  const left = new Set();
  for await (const line of createInterface({ input: process.stdin })) {
    if (line.startsWith("+")) left.add(Number(line.slice(1)));
    else left.delete(Number(line.slice(1)));
  }
  for (const pid of left) send(pid, "SIGTERM");
  const until = Date.now() + 10_000;
  while (Date.now() < until && [...left].some((pid) => send(pid, 0))) await pause(50);
  for (const pid of left) send(pid, "SIGKILL");
};

if (process.argv[1] === self) await main();
