// The six services as processes on this machine, and how each finds the others.
import { createRequire } from "node:module";
import { join } from "node:path";
import { freePort, repoRoot } from "../provision/machine.mjs";

/** The services, each after those that it needs. */
const needsOf = /** @type {Record<string, string[]>} */ ({
  namespaces: [],
  images: ["namespaces"],
  builds: ["namespaces"],
  webhooks: ["namespaces", "builds"],
  runner: ["namespaces", "images", "builds"],
  gateway: ["namespaces", "images", "builds", "webhooks"],
});
const names = Object.keys(needsOf);

/**
 * `drivers` are those that the runner serves unless RUNNER_DRIVERS names others, with commas.
 * @typedef {{ mongoUrl: string, natsUrl: string, url: string, port: number, adminToken: string, secretKeys: string,
 *   guardAllow: string, drivers: string, dataDir: string }} Installation
 */

/**
 * The name of a service's database where the environment names databases: one name cannot be that of four.
 * @param {string} service
 */
export const databaseOf = (service) => (process.env.MONGO_DB ? `${process.env.MONGO_DB}_${service}` : undefined);

/** @param {string} readyUrl @returns {Promise<string | undefined>} */
const missingAt = async (readyUrl) => {
  try {
    const answer = await fetch(readyUrl, { signal: AbortSignal.timeout(2_000) });
    return answer.ok ? undefined : `${readyUrl} says "${(await answer.text()).trim()}"`;
  } catch {
    return `${readyUrl} does not answer`;
  }
};

/**
 * Throws one error that names every wrong setting of every service.
 * @param {{ name: string, env: NodeJS.ProcessEnv }[]} services
 */
const checkSettings = (services) => {
  const require = createRequire(import.meta.url);
  const wrong = new Set();
  for (const { name, env } of services) {
    const { readConfig } = require(join(repoRoot, "services", name, "dist/config.js"));
    try {
      readConfig(env);
    } catch (error) {
      const { message } = /** @type {Error} */ (error);
      for (const line of message.replace(/^Settings:\n/, "").split("\n")) wrong.add(line.trim());
    }
  }
  if (wrong.size > 0) throw new Error([...wrong].join("\n"));
};

/**
 * The services, each after those it needs. The caller's environment is passed on to all.
 * @param {Installation} at
 * @returns {Promise<{ parts: import("./supervisor.mjs").Part[], metricsUrlOf: (service: string) => string }>}
 * @throws {Error} that names every setting that is wrong
 */
export const servicesOf = async (at) => {
  /** @type {Record<string, { grpc: number, admin: number }>} */
  const ports = {};
  for (const name of names) ports[name] = { grpc: await freePort(), admin: await freePort() };
  const addresses = Object.fromEntries(
    names.map((name) => [`${name.toUpperCase()}_ADDR`, `127.0.0.1:${ports[name].grpc}`]),
  );
  const runs = process.env.RUNNER_DRIVERS || at.drivers;
  const accepted = ["docker", "qemu", ...(/\bos\b/.test(runs) ? ["os"] : [])].join(",");
  const shared = {
    ...process.env,
    ...addresses,
    MONGO_URL: at.mongoUrl,
    NATS_URL: at.natsUrl,
    SECRET_KEYS: at.secretKeys,
    CI_GUARD_ALLOW: at.guardAllow,
    PUBLIC_URL: at.url,
    DRIVERS: process.env.DRIVERS || accepted,
    RUNNER_DRIVERS: runs,
    // Whoever ends everything does not wait for builds.
    RUNNER_DRAIN: "0s",
    RUNNER_DIR: process.env.RUNNER_DIR || join(at.dataDir, "runner"),
  };
  const services = names.map((name) => ({
    name,
    env: {
      ...shared,
      MONGO_DB: databaseOf(name),
      LISTEN: name === "gateway" ? `127.0.0.1:${at.port}` : `127.0.0.1:${ports[name].grpc}`,
      ADMIN_LISTEN: `127.0.0.1:${ports[name].admin}`,
      // Only the service that checks tokens is told one.
      CI_ADMIN_TOKEN: name === "namespaces" ? at.adminToken : "",
    },
  }));
  checkSettings(services);
  const adminUrl = (/** @type {string} */ name) => `http://127.0.0.1:${ports[name].admin}`;
  const parts = services.map(({ name, env }) => ({
    name,
    command: [process.execPath, join(repoRoot, "services", name, "dist/main.js")],
    env,
    needs: needsOf[name],
    ready: () => missingAt(`${adminUrl(name)}/readyz`),
  }));
  return { parts, metricsUrlOf: (service) => `${adminUrl(service)}/metrics` };
};
