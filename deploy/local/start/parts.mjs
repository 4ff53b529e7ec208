// The six services as processes on this machine, and how each finds the others.
import { join } from "node:path";
import { freePort, repoRoot } from "../provision/machine.mjs";

const names = ["namespaces", "images", "builds", "webhooks", "runner", "gateway"];

/**
 * @typedef {{ mongoUrl: string, natsUrl: string, url: string, port: number, adminToken: string, secretKeys: string,
 *   guardAllow: string, driver: "docker" | "os", dataDir: string }} Installation
 */

/**
 * What to start, in this order. Whatever the caller's environment says about a setting is passed on.
 * @param {Installation} at
 * @returns {Promise<import("./supervisor.mjs").Part[]>}
 */
export const servicesOf = async (at) => {
  /** @type {Record<string, { grpc: number, admin: number }>} */
  const ports = {};
  for (const name of names) ports[name] = { grpc: await freePort(), admin: await freePort() };
  const addresses = Object.fromEntries(
    names.map((name) => [`${name.toUpperCase()}_ADDR`, `127.0.0.1:${ports[name].grpc}`]),
  );
  const runs = process.env.RUNNER_DRIVERS || at.driver;
  const accepted = ["docker", "qemu", ...(runs.split(",").includes("os") ? ["os"] : [])].join(",");
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
  return names.map((name) => ({
    name,
    script: join(repoRoot, "services", name, "dist/main.js"),
    readyUrl: `http://127.0.0.1:${ports[name].admin}/readyz`,
    env: {
      ...shared,
      LISTEN: name === "gateway" ? `127.0.0.1:${at.port}` : `127.0.0.1:${ports[name].grpc}`,
      ADMIN_LISTEN: `127.0.0.1:${ports[name].admin}`,
      // Only the service that checks tokens is told one.
      CI_ADMIN_TOKEN: name === "namespaces" ? at.adminToken : "",
    },
  }));
};
