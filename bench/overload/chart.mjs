// The memory limits of the chart, which each process has to keep.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { repoRoot } from "../../deploy/local/provision/machine.mjs";

const services = ["gateway", "namespaces", "builds", "images", "webhooks", "runner"];
const servers = { mongod: "mongodb", "nats-server": "nats" };

/** @param {string} text such as `512Mi` or `2Gi` @returns {number} MiB */
const mebibytes = (text) => {
  const [, number, unit] = /^(\d+)(Mi|Gi)$/.exec(text) ?? [];
  if (!number) throw new Error(`No size of memory: ${text}`);
  return Number(number) * (unit === "Gi" ? 1024 : 1);
};

/** Returns the limit of each process in MiB. @returns {Record<string, number>} */
export const memoryLimits = () => {
  const values = parse(readFileSync(join(repoRoot, "deploy/helm/service-ci/values.yaml"), "utf8"));
  const parts = [...services.map((name) => [name, name]), ...Object.entries(servers)];
  return Object.fromEntries(parts.map(([name, part]) => [name, mebibytes(values[part].resources.limits.memory)]));
};
