// Reads the flags of `npm start` and the environment variables that concern the whole system.
import { resolve } from "node:path";
import { repoRoot } from "../provision/machine.mjs";

/** The names of all drivers. */
const driverNames = ["docker", "qemu", "os"];

/**
 * `url` is the public address, `ownUrl` the local one. `served` is RUNNER_DRIVERS and `allowed` is DRIVERS, if they are set.
 * @typedef {{ once: boolean, fresh: boolean, port: number, dataDir: string, url: string, ownUrl: string,
 *   headerPrefix: string, served?: string[], allowed?: string[] }} Options
 */

/** Returns the data folder. */
export const dataDirOf = (env = process.env) => resolve(repoRoot, env.CI_DATA || ".data");

/** @param {string | undefined} text */
const portOf = (text = "8080") => {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port < 1 || port > 65_535)
    throw new Error(`CI_PORT must be a whole number from 1 to 65535, not "${text}".`);
  return port;
};

/** @param {string} text @returns {URL} */
const publicUrlOf = (text) => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username)
    throw new Error(`PUBLIC_URL must be an http or https URL without query, fragment and user, not "${text}".`);
  return url;
};

/** @param {string} name @param {string | undefined} text */
const driversOf = (name, text) => {
  if (!text) return undefined;
  const drivers = text.split(",").map((driver) => driver.trim());
  if (!drivers.every((driver) => driverNames.includes(driver)))
    throw new Error(`${name} must be a list of docker, qemu and os, not "${text}".`);
  return drivers;
};

/**
 * Reads flags and environment variables. An empty variable counts as unset.
 * @param {string[]} flags
 * @param {NodeJS.ProcessEnv} env
 * @returns {Options}
 * @throws {Error} with one sentence
 */
export const readOptions = (flags, env) => {
  const unknown = flags.filter((flag) => !["--once", "--fresh"].includes(flag));
  if (unknown.length > 0) throw new Error(`Unknown option: ${unknown.join(" ")}. The options are --once and --fresh.`);
  const fresh = flags.includes("--fresh");
  if (fresh && env.MONGO_URL)
    throw new Error(
      "--fresh deletes only the data of a MongoDB that npm start runs. Drop the databases at MONGO_URL yourself.",
    );
  const port = portOf(env.CI_PORT || undefined);
  const own = `http://127.0.0.1:${port}`;
  const url = publicUrlOf(env.PUBLIC_URL || own);
  const path = url.pathname.replace(/\/+$/, "");
  return {
    once: flags.includes("--once"),
    fresh,
    port,
    dataDir: dataDirOf(env),
    url: `${url.origin}${path}`,
    ownUrl: `${own}${path}`,
    headerPrefix: env.WEBHOOK_HEADER_PREFIX || "X-Service-CI",
    served: driversOf("RUNNER_DRIVERS", env.RUNNER_DRIVERS),
    allowed: driversOf("DRIVERS", env.DRIVERS),
  };
};
