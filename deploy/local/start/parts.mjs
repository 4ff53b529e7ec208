// Describes the six services as processes of this machine: settings, addresses and dependencies.
import { join } from "node:path";
import { freePort, repoRoot } from "../provision/machine.mjs";
import { findNode } from "../provision/node.mjs";
import { serviceEnvironment } from "./environment.mjs";
import { allocatorSettings, heapOptions, memoryLimits } from "./memory.mjs";
import { keySettings } from "./service-keys.mjs";
import { runnerDirOf } from "./settings.mjs";

/** Each service, after those that it needs. */
const needsOf = /** @type {Record<string, string[]>} */ ({
  namespaces: [],
  images: ["namespaces"],
  builds: ["namespaces"],
  webhooks: ["namespaces", "builds"],
  runner: ["images", "builds"],
  gateway: ["namespaces", "images", "builds", "webhooks"],
});

/** The services' names, each after those that it needs. */
export const serviceNames = Object.keys(needsOf);

/**
 * `drivers` is the default of RUNNER_DRIVERS. `identityOf` replaces the settings by which a service proves its name. The
 * services in `inspect` listen for a debugger, on ports from 9229 on.
 * @typedef {{ mongoUrlOf: UrlOf, natsUrlOf: UrlOf, url: string, port: number, adminToken: string, secretKeys: string,
 *   serviceKeys: import("./service-keys.mjs").ServiceKeys, guardAllow: string, drivers: string, dataDir: string,
 *   identityOf?: (service: string) => Record<string, string>, inspect?: string[] }} Installation
 * @typedef {(service: string) => string | undefined} UrlOf
 */

/**
 * Returns the name of a service's database if MONGO_DB is set. MONGO_DB is their common prefix.
 * @param {string} service
 */
export const databaseOf = (service, prefix = process.env.MONGO_DB) => (prefix ? `${prefix}_${service}` : undefined);

/** Says why a service is not ready; undefined if it is. @param {string} readyUrl @returns {Promise<string | undefined>} */
const notReady = async (readyUrl) => {
  try {
    const response = await fetch(readyUrl, { signal: AbortSignal.timeout(2_000) });
    return response.ok ? undefined : `${readyUrl} returns "${(await response.text()).trim()}"`;
  } catch {
    return `${readyUrl} does not answer`;
  }
};

/** @param {string} name @param {string[]} names the services to debug */
const inspector = (name, names = []) =>
  names.includes(name) ? [`--inspect=127.0.0.1:${9229 + names.indexOf(name)}`] : [];

/** Returns DOCKER_LOCAL_IMAGES with the images that provisioning makes or pulls, such as the sample build's. */
const localImages = (/** @type {string | undefined} */ given) =>
  given === "-" ? given : `service-ci/*,${process.env.CI_TEST_IMAGE || "busybox:1.37"}${given ? `,${given}` : ""}`;

/**
 * Returns the services, each after those it needs. Of this process's environment, each gets the settings that it reads.
 * @param {Installation} at
 * @returns {Promise<{ parts: import("./supervisor.mjs").Part[], metricsUrlOf: (service: string) => string,
 *   addressOf: (service: string) => string }>}
 * @throws {Error} that names every invalid setting
 */
export const servicesOf = async (at) => {
  /** @type {Record<string, { grpc: number, admin: number }>} */
  const ports = {};
  for (const name of serviceNames) ports[name] = { grpc: await freePort(), admin: await freePort() };
  const addresses = Object.fromEntries(
    serviceNames.map((name) => [`${name.toUpperCase()}_ADDR`, `127.0.0.1:${ports[name].grpc}`]),
  );
  const served = process.env.RUNNER_DRIVERS || at.drivers;
  const accepted = ["docker", "qemu", ...(/\bos\b/.test(served) ? ["os"] : [])].join(",");
  const shared = {
    ...process.env,
    ...allocatorSettings(),
    ...addresses,
    SECRET_KEYS: at.secretKeys,
    CI_ADMIN_TOKEN: at.adminToken,
    CI_GUARD_ALLOW: at.guardAllow,
    PUBLIC_URL: at.url,
    DRIVERS: process.env.DRIVERS || accepted,
    RUNNER_DRIVERS: served,
    DOCKER_LOCAL_IMAGES: localImages(process.env.DOCKER_LOCAL_IMAGES),
    // Ctrl-C does not wait for running builds.
    RUNNER_DRAIN: "0s",
    RUNNER_DIR: process.env.RUNNER_DIR || runnerDirOf(at.dataDir, served),
    RUNNER_IMAGES_DIR:
      process.env.RUNNER_IMAGES_DIR || join(process.env.RUNNER_DIR || join(at.dataDir, "runner"), ".images"),
  };
  const identityOf = at.identityOf ?? keySettings(at.serviceKeys);
  const services = serviceNames.map((name) => {
    const own = {
      ...identityOf(name),
      MONGO_URL: at.mongoUrlOf(name),
      NATS_URL: at.natsUrlOf(name),
      MONGO_DB: databaseOf(name),
      LISTEN: name === "gateway" ? `127.0.0.1:${at.port}` : `127.0.0.1:${ports[name].grpc}`,
      ADMIN_LISTEN: `127.0.0.1:${ports[name].admin}`,
    };
    return { name, ...serviceEnvironment(name, { ...shared, ...own }) };
  });
  const mistakes = new Set(services.flatMap((service) => service.mistakes));
  if (mistakes.size > 0) throw new Error([...mistakes].join("\n"));
  const [node, memory] = await Promise.all([findNode(), memoryLimits()]);
  const adminUrl = (/** @type {string} */ name) => `http://127.0.0.1:${ports[name].admin}`;
  const parts = services.map(({ name, env }) => ({
    name,
    command: [
      node,
      ...heapOptions(memory[name]),
      ...inspector(name, at.inspect),
      join(repoRoot, "services", name, "dist/main.js"),
    ],
    env,
    needs: needsOf[name],
    ready: () => notReady(`${adminUrl(name)}/readyz`),
  }));
  return {
    parts,
    metricsUrlOf: (service) => `${adminUrl(service)}/metrics`,
    addressOf: (service) => `127.0.0.1:${ports[service].grpc}`,
  };
};
