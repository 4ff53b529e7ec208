// The MongoDB and the NATS that `npm start` runs, unless the environment names others.
import { join } from "node:path";
import { accepts, complaintIn, mongodRecipe, natsRecipe } from "../provision/binaries.mjs";
import { freePort } from "../provision/machine.mjs";
import { ensureMongoUsers, mongoUrlAs } from "./mongo-users.mjs";
import { natsUsersOf, urlAs } from "./passwords.mjs";

/**
 * `urlOf` returns a service's URL of the server. `prepare` must have ended before the parts start.
 * @typedef {{ parts: import("./supervisor.mjs").Part[], urlOf: import("./parts.mjs").UrlOf,
 *   prepare?: () => Promise<void> }} Server
 * @typedef {import("./passwords.mjs").Passwords} Passwords
 */

/**
 * Describes a server, which needs no other part.
 * @param {string} name
 * @param {import("../provision/binaries.mjs").Recipe} recipe
 * @returns {import("./supervisor.mjs").Part}
 */
const serverPart = (name, { command, port }) => ({
  name,
  command,
  needs: [],
  ready: async () => ((await accepts(port)) ? undefined : `nothing listens on port ${port}`),
  complaint: complaintIn,
});

/**
 * Describes MongoDB. Besides the services, `ci` has a URL, the operator's.
 * @param {{ dataDir: string, mongoPasswords: Passwords }} wanted
 * @returns {Promise<Server>}
 */
export const mongoOf = async ({ dataDir, mongoPasswords: passwords }) => {
  const { MONGO_URL } = process.env;
  if (MONGO_URL) return { parts: [], urlOf: () => MONGO_URL };
  const at = { dataDir: join(dataDir, "mongod"), port: await freePort() };
  const recipe = await mongodRecipe({ ...at, auth: true });
  return {
    parts: [serverPart("mongod", recipe)],
    urlOf: (owner) => mongoUrlAs(recipe.url, passwords, owner),
    prepare: () => ensureMongoUsers({ ...at, passwords, logFile: join(dataDir, "logs/mongod.log") }),
  };
};

/**
 * Describes NATS. `drivers` are those of the runner, separated by commas.
 * @param {{ dataDir: string, natsPasswords: Passwords, drivers: string }} wanted
 * @returns {Promise<Server>}
 */
export const natsOf = async ({ dataDir, natsPasswords: passwords, drivers }) => {
  const { NATS_URL, RUNNER_DRIVERS } = process.env;
  if (NATS_URL) return { parts: [], urlOf: () => NATS_URL };
  const users = natsUsersOf(passwords, RUNNER_DRIVERS || drivers);
  const recipe = await natsRecipe({ dataDir: join(dataDir, "nats-server"), port: await freePort(), users });
  return { parts: [serverPart("nats-server", recipe)], urlOf: (user) => urlAs(recipe.url, user, passwords[user]) };
};
