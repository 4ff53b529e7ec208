// The users of the MongoDB and the NATS that `npm start` runs: one for each service, and `ci` for the operator.
import { randomBytes } from "node:crypto";
import { createRequire } from "node:module";
import { join } from "node:path";
import { repoRoot } from "../provision/machine.mjs";

/**
 * Passwords by service, and that of `ci`, the operator.
 * @typedef {Record<string, string>} Passwords
 */

const require = createRequire(import.meta.url);

/** Makes a password for the operator and for each of these services. @param {string[]} services @returns {Passwords} */
export const createPasswords = (services) =>
  Object.fromEntries(["ci", ...services].map((owner) => [owner, randomBytes(32).toString("hex")]));

/**
 * Returns the part of nats-server's configuration with these users.
 * @param {Passwords} passwords
 * @param {string} drivers those of the runner, separated by commas
 */
export const natsUsersOf = (passwords, drivers) => {
  const { natsUsers } = require(join(repoRoot, "libs/kit/dist/bus/nats-users.js"));
  const installation = {
    prefix: process.env.SUBJECT_PREFIX || "ci",
    drivers: drivers.split(",").map((name) => name.trim()),
  };
  return natsUsers(installation, (/** @type {string} */ user) => passwords[user]);
};

/**
 * Adds a user to a server's URL.
 * @param {string} url
 * @param {string} user
 * @param {string} password
 */
export const urlAs = (url, user, password) => url.replace("://", `://${user}:${password}@`);
