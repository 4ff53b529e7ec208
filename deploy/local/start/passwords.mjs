// The users of the NATS that `npm start` runs: one for each service, and `ci` for the operator.
import { randomBytes } from "node:crypto";
import { createRequire } from "node:module";
import { join } from "node:path";
import { repoRoot } from "../provision/machine.mjs";
import { services } from "./service-keys.mjs";

/**
 * Passwords by user.
 * @typedef {Record<string, string>} Passwords
 */

const require = createRequire(import.meta.url);

/** Makes a password for each user. @returns {Passwords} */
export const createPasswords = () =>
  Object.fromEntries(["ci", ...services].map((user) => [user, randomBytes(32).toString("hex")]));

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
 * @param {Passwords} passwords
 */
export const urlAs = (url, user, passwords) => url.replace("://", `://${user}:${passwords[user]}@`);
