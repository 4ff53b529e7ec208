// What `npm start` remembers between two runs: the admin token and the key that encrypts secrets at rest.
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * @typedef {{ adminToken: string, secretKeys: string }} Settings
 */

/** Where they are kept. @param {string} dataDir */
export const settingsFile = (dataDir) => join(dataDir, "settings.json");

/** Where the URL of the running MongoDB is kept, for other commands. @param {string} dataDir */
export const mongoUrlFile = (dataDir) => join(dataDir, "mongo-url");

/**
 * Reads the settings of a data folder, making them at the first start. CI_ADMIN_TOKEN and SECRET_KEYS win over them.
 * @param {string} dataDir
 * @returns {Settings}
 */
export const readOrMakeSettings = (dataDir) => {
  const path = settingsFile(dataDir);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  if (!existsSync(path)) {
    const made = {
      adminToken: `ci_${randomBytes(32).toString("base64url")}`,
      secretKeys: `local:${randomBytes(32).toString("base64")}`,
    };
    // In one step: half a file would lock the owner out of all secrets.
    writeFileSync(`${path}.new`, `${JSON.stringify(made, null, 2)}\n`, { mode: 0o600 });
    renameSync(`${path}.new`, path);
  }
  const kept = JSON.parse(readFileSync(path, "utf8"));
  return {
    adminToken: process.env.CI_ADMIN_TOKEN || kept.adminToken,
    secretKeys: process.env.SECRET_KEYS || kept.secretKeys,
  };
};

/**
 * Removes what a start keeps in its data folder, and nothing that anyone else has put there.
 * @param {string} dataDir
 */
export const forgetData = (dataDir) => {
  for (const name of ["mongod", "nats-server", "runner", "logs"])
    rmSync(join(dataDir, name), { recursive: true, force: true });
  for (const file of [settingsFile(dataDir), mongoUrlFile(dataDir)]) rmSync(file, { force: true });
};
