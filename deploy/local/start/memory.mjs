// The memory limits of the chart, which also hold for processes of this machine.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repoRoot } from "../provision/machine.mjs";

const services = ["gateway", "namespaces", "builds", "images", "webhooks", "runner"];
const servers = { mongod: "mongodb", "nats-server": "nats" };

/** @param {string} text such as `512Mi` or `2Gi` @returns {number} MiB */
const mebibytes = (text) => {
  const [, number, unit] = /^(\d+)(Mi|Gi)$/.exec(text) ?? [];
  if (!number) throw new Error(`No size of memory: ${text}`);
  return Number(number) * (unit === "Gi" ? 1024 : 1);
};

/** Returns the limit of each process in MiB. @returns {Promise<Record<string, number>>} */
export const memoryLimits = async () => {
  // `npm start` installs packages after it has loaded this file.
  const { parse } = await import("yaml");
  const values = parse(readFileSync(join(repoRoot, "deploy/helm/service-ci/values.yaml"), "utf8"));
  const parts = [...services.map((name) => [name, name]), ...Object.entries(servers)];
  return Object.fromEntries(parts.map(([name, part]) => [name, mebibytes(values[part].resources.limits.memory)]));
};

const chosen = process.env.NODE_OPTIONS ?? "";

/** With V8's own size of 16 MiB, a busy process takes up to 24 MiB more for new objects and is no faster. */
const youngGeneration = "--max-semi-space-size=8";

/**
 * Returns options that size the heap of Node.js as in a container: half of its limit, and the images' size for new objects.
 * Otherwise Node.js would collect garbage late, because the machine has room. NODE_OPTIONS may choose other sizes.
 * @param {number} limit in MiB
 */
export const heapOptions = (limit) => [
  ...(/--max[-_](old[-_]space|heap)[-_]size/.test(chosen) ? [] : [`--max-old-space-size=${limit / 2}`]),
  ...(/--max[-_]semi[-_]space[-_]size/.test(chosen) ? [] : [youngGeneration]),
];

/** Returns the images' setting for the allocator of glibc, which then keeps less freed memory. The environment may choose another. */
export const allocatorSettings = () => ({ MALLOC_ARENA_MAX: process.env.MALLOC_ARENA_MAX || "2" });
