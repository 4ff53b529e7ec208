import { spawn } from "node:child_process";
import { once } from "node:events";
import { Agent, request } from "undici";
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

/** Returns a client that keeps its connections. @param {string} url @param {string} [token] */
export const clientOf = (url, token) => {
  const agent = new Agent({ connections: 64 });
  const headers = { ...(token ? { Authorization: `Bearer ${token}` } : {}), "Content-Type": "application/json" };
  return {
    /** @param {"GET" | "POST"} method @param {string} path @param {unknown} [json] @returns {Promise<any>} */
    async send(method, path, json) {
      const body = json === undefined ? undefined : JSON.stringify(json);
      const response = await request(`${url}${path}`, { dispatcher: agent, method, headers, body });
      const text = await response.body.text();
      if (response.statusCode >= 300) throw new Error(`${method} ${path}: ${response.statusCode} ${text}`);
      return JSON.parse(text);
    },
    close: () => agent.close(),
  };
};

/** Runs a command to its end. @param {string} command @param {string[]} args */
export const runToEnd = async (command, args) => {
  const child = spawn(command, args, { stdio: "ignore" });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`${command} ended with ${code}.`);
};
