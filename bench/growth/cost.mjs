import { cpuOfChildren } from "../processes.mjs";

const services = ["gateway", "builds", "namespaces", "images", "webhooks", "mongod", "nats-server"];

/**
 * Returns the result of `work` and each process's CPU time meanwhile, in milliseconds.
 * @template T
 * @param {() => Promise<T>} work
 * @returns {Promise<{ result: T, cpuMs: Map<string, number> }>}
 */
export const withCpu = async (work) => {
  const before = cpuOfChildren();
  const result = await work();
  const after = cpuOfChildren();
  return { result, cpuMs: new Map(services.map((name) => [name, (after.get(name) ?? 0) - (before.get(name) ?? 0)])) };
};

/** @param {Map<string, number>} cpuMs */
export const sum = (cpuMs) => [...cpuMs.values()].reduce((total, ms) => total + ms, 0);

/** Names the process that took most CPU time, with its time per operation. @param {Map<string, number>} cpuMs @param {number} operations */
export const greatest = (cpuMs, operations) => {
  const [name, ms] = [...cpuMs].sort(([, a], [, b]) => b - a)[0];
  return `${name} ${(ms / operations).toFixed(2)} ms`;
};
