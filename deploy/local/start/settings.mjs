// Keeps the administrator's token, the encryption key, and the services' keys and passwords of `npm start` between runs.
import { createHash, randomBytes } from "node:crypto";
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { release, take } from "../provision/hold.mjs";
import { guardWith } from "./guardian.mjs";
import { createPasswords } from "./passwords.mjs";
import { createServiceKeys, services, storedServices } from "./service-keys.mjs";

/**
 * @typedef {{ adminToken: string, secretKeys: string, serviceKeys: import("./service-keys.mjs").ServiceKeys,
 *   mongoPasswords: import("./passwords.mjs").Passwords, natsPasswords: import("./passwords.mjs").Passwords }} Settings
 */

/** Returns the path of the settings. @param {string} dataDir */
export const settingsFile = (dataDir) => join(dataDir, "settings.json");

/** @param {string} dataDir */
const mongoUrlFile = (dataDir) => join(dataDir, "mongo-url");

/** @param {string} dataDir */
const mongoDbFile = (dataDir) => join(dataDir, "mongo-db");

/** @param {string} dataDir */
const filesIn = (dataDir) => [settingsFile(dataDir), mongoUrlFile(dataDir), mongoDbFile(dataDir)];

/** Keeps the operator's URL of the running MongoDB and MONGO_DB for other commands. @param {string} dataDir @param {string} url */
export const keepMongo = (dataDir, url) => {
  writeFileSync(mongoDbFile(dataDir), process.env.MONGO_DB ?? "", { mode: 0o600 });
  writeFileSync(mongoUrlFile(dataDir), url, { mode: 0o600 });
};

/** @param {string} file */
const textOf = (file) => (existsSync(file) ? readFileSync(file, "utf8") : undefined);

/**
 * Returns the settings of MongoDB: those of the environment or, without MONGO_URL, those of the running `npm start`.
 * @param {string} dataDir
 */
export const mongoSettings = (dataDir) => {
  const { MONGO_URL, MONGO_DB } = process.env;
  if (MONGO_URL) return { MONGO_URL, MONGO_DB };
  return { MONGO_URL: textOf(mongoUrlFile(dataDir)), MONGO_DB: MONGO_DB || textOf(mongoDbFile(dataDir)) };
};

/**
 * Writes the settings. Renamed into place: half a file would lock the owner out of all secrets.
 * @param {string} path
 * @param {Settings} settings
 */
const write = (path, settings) => {
  writeFileSync(`${path}.new`, `${JSON.stringify(settings, null, 2)}\n`, { mode: 0o600, flush: true });
  renameSync(`${path}.new`, path);
  const folder = openSync(dirname(path), "r");
  fsyncSync(folder);
  closeSync(folder);
};

/** @param {string} path @returns {Partial<Settings>} none if there is no file */
export const settingsIn = (path) => {
  if (!existsSync(path)) return {};
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw new Error(`${path} cannot be read: ${/** @type {Error} */ (error).message}`);
  }
};

/**
 * Returns the runner's folder. Jobs of a runner that is root have users of their own, who cannot enter the data folder.
 * @param {string} dataDir
 * @param {string} served the runner's drivers
 */
export const runnerDirOf = (dataDir, served) =>
  process.getuid?.() === 0 && /\bos\b/.test(served) ? sharedRunnerDir(dataDir) : join(dataDir, "runner");

/** @param {string} dataDir */
const sharedRunnerDir = (dataDir) => {
  const id = createHash("sha256").update(dataDir).digest("hex").slice(0, 12);
  return join(tmpdir(), `service-ci-runner-${id}`);
};

/**
 * Makes a data folder that only its owner may enter, also if an earlier version made it.
 * @param {string} dataDir
 */
const makePrivate = (dataDir) => {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const { uid, mode } = statSync(dataDir);
  // /tmp, for instance: other programs need it.
  const isShared = (mode & 0o1000) !== 0 || (process.getuid !== undefined && uid !== process.getuid());
  if (isShared) throw new Error(`CI_DATA must be a folder that only Service CI uses, not "${dataDir}".`);
  chmodSync(dataDir, 0o700);
  for (const file of filesIn(dataDir)) if (existsSync(file)) chmodSync(file, 0o600);
};

/**
 * Holds a data folder until this process ends, and its children if it is killed.
 * @param {string} dataDir
 * @throws {Error} with one sentence if another process holds it
 */
export const holdData = async (dataDir) => {
  makePrivate(dataDir);
  const file = join(dataDir, "holder.json");
  const holder = take(file);
  if (holder)
    throw new Error(
      `Service CI runs in ${dataDir} already, as process ${holder.pid}: set CI_DATA to another folder, or stop it.`,
    );
  process.once("exit", () => release(file));
  await guardWith(join(dataDir, "guardian.json"));
};

/**
 * Reads the settings of a data folder. The first start creates them, and a later version adds those that are missing.
 * CI_ADMIN_TOKEN and SECRET_KEYS take precedence.
 * @param {string} dataDir
 * @returns {Settings}
 */
export const readOrCreateSettings = (dataDir) => {
  const path = settingsFile(dataDir);
  makePrivate(dataDir);
  const kept = settingsIn(path);
  const settings = {
    adminToken: kept.adminToken ?? `ci_${randomBytes(32).toString("base64url")}`,
    secretKeys: kept.secretKeys ?? `local:${randomBytes(32).toString("base64")}`,
    serviceKeys: kept.serviceKeys ?? createServiceKeys(),
    mongoPasswords: kept.mongoPasswords ?? createPasswords(storedServices),
    natsPasswords: kept.natsPasswords ?? createPasswords(services),
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
  rmSync(sharedRunnerDir(dataDir), { recursive: true, force: true });
  for (const file of filesIn(dataDir)) rmSync(file, { force: true });
};
