// Chooses the environment variables of child processes: none inherits this process's whole environment.
import { createRequire } from "node:module";
import { join } from "node:path";
import { repoRoot } from "../provision/machine.mjs";

const require = createRequire(import.meta.url);

/** Variables of the machine and of Node.js. NODE_* is not allowed as a whole: NODE_AUTH_TOKEN is a secret. */
const ofMachine = new Set([
  ...["PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR", "XDG_RUNTIME_DIR"],
  ...["NODE_OPTIONS", "NODE_ENV", "NODE_EXTRA_CA_CERTS", "NODE_COMPILE_CACHE", "NODE_V8_COVERAGE"],
  ...["SSL_CERT_FILE", "SSL_CERT_DIR", "UV_THREADPOOL_SIZE", "LD_LIBRARY_PATH", "MALLOC_ARENA_MAX"],
]);
/** OTEL_* may hold the password of a collector, which every process needs. */
const prefixes = ["LC_", "OTEL_"];

/** @param {NodeJS.ProcessEnv} env @param {(name: string) => boolean} allows */
const filtered = (env, allows) => Object.fromEntries(Object.entries(env).filter(([name]) => allows(name)));

/** @param {string} name */
const isOfMachine = (name) => ofMachine.has(name) || prefixes.some((prefix) => name.startsWith(prefix));

/** Returns the variables that any process may have: no settings and no secrets. @param {NodeJS.ProcessEnv} [env] */
export const machineEnvironment = (env = process.env) => filtered(env, isOfMachine);

/**
 * Lets a service's config.ts read these variables. Returns the machine's and those that it read, and its complaints.
 * @param {string} service
 * @param {NodeJS.ProcessEnv} env
 * @returns {{ env: NodeJS.ProcessEnv, mistakes: string[] }}
 */
export const serviceEnvironment = (service, env) => {
  const { settingsReadFrom } = require(join(repoRoot, "libs/kit/dist/process/config.js"));
  const { readConfig } = require(join(repoRoot, "services", service, "dist/config.js"));
  const mistakes = /** @type {string[]} */ ([]);
  try {
    readConfig(env);
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    for (const line of message.replace(/^Settings:\n/, "").split("\n")) mistakes.push(line.trim());
  }
  const read = new Set(settingsReadFrom(env).map((/** @type {{ name: string }} */ { name }) => name));
  return { env: filtered(env, (name) => isOfMachine(name) || read.has(name)), mistakes };
};
