import { spawn } from "node:child_process";
import { once } from "node:events";
import { quantile } from "../statistics.mjs";

/** @typedef {{ operations: number, perSecond: number, p50Ms: number, p99Ms: number }} Load */

/**
 * Lets concurrent clients repeat `work` for some time.
 * @param {number} clients
 * @param {number} durationMs
 * @param {() => Promise<unknown>} work
 * @returns {Promise<Load>}
 */
export const repeat = async (clients, durationMs, work) => {
  const startMs = performance.now();
  /** @type {number[]} */
  const took = [];
  const client = async () => {
    while (performance.now() - startMs < durationMs) {
      const from = performance.now();
      await work();
      took.push(performance.now() - from);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  const perSecond = (took.length * 1_000) / (performance.now() - startMs);
  return { operations: took.length, perSecond, p50Ms: quantile(took, 0.5), p99Ms: quantile(took, 0.99) };
};

/** Runs a command to its end. @param {string} command @param {string[]} args */
export const runToEnd = async (command, args) => {
  const child = spawn(command, args, { stdio: "ignore" });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`${command} ended with ${code}.`);
};
