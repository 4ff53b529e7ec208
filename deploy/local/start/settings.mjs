// Keeps the administrator's token, the encryption key and the services' keys of `npm start` between runs.
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createServiceKeys } from "./service-keys.mjs";

/**
 * @typedef {{ adminToken: string, secretKeys: string, serviceKeys: import("./service-keys.mjs").ServiceKeys }} Settings
 */

/** Returns the path of the settings. @param {string} dataDir */
export const settingsFile = (dataDir) => join(dataDir, "settings.json");

/** Returns the file with the running MongoDB's URL, which other commands read. @param {string} dataDir */
export const mongoUrlFile = (dataDir) => join(dataDir, "mongo-url");

/**
 * Writes the settings. Renamed into place: half a file would lock the owner out of all secrets.
 * @param {string} path
 * @param {Settings} settings
 */
const write = (path, settings) => {
  writeFileSync(`${path}.new`, `${JSON.stringify(settings, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
};

/**
 * Reads the settings of a data folder. The first start creates them, and each start adds what an older one did not
 * know. CI_ADMIN_TOKEN and SECRET_KEYS take precedence.
 * @param {string} dataDir
 * @returns {Settings}
 */
export const readOrCreateSettings = (dataDir) => {
  const path = settingsFile(dataDir);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const kept = /** @type {Partial<Settings>} */ (existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {});
  const settings = {
    adminToken: kept.adminToken ?? `ci_${randomBytes(32).toString("base64url")}`,
    secretKeys: kept.secretKeys ?? `local:${randomBytes(32).toString("base64")}`,
    serviceKeys: kept.serviceKeys ?? createServiceKeys(),
  };
  if (Object.keys(settings).some((name) => !(name in kept))) write(path, settings);
  return {
    ...settings,
    adminToken: process.env.CI_ADMIN_TOKEN || settings.adminToken,
    secretKeys: process.env.SECRET_KEYS || settings.secretKeys,
  };
};

/**
 * Deletes what `npm start` keeps in its data folder, and no other files.
 * @param {string} dataDir
 */
export const deleteData = (dataDir) => {
  for (const name of ["mongod", "nats-server", "runner", "logs"])
    rmSync(join(dataDir, name), { recursive: true, force: true });
  for (const file of [settingsFile(dataDir), mongoUrlFile(dataDir)]) rmSync(file, { force: true });
};
