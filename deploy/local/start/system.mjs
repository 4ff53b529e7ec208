// Starts the whole system on this machine: MongoDB, NATS and the six services.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { accepts, complaintIn, mongodRecipe, natsRecipe } from "../provision/binaries.mjs";
import { freePort } from "../provision/machine.mjs";
import { servicesOf } from "./parts.mjs";
import { natsUsersOf, urlAs } from "./passwords.mjs";
import { mongoUrlFile } from "./settings.mjs";
import { supervise } from "./supervisor.mjs";

/**
 * With `restart`, a part that dies is restarted.
 * @typedef {Omit<import("./parts.mjs").Installation, "mongoUrl" | "natsUrlOf"> & { restart?: boolean,
 *   natsPasswords: import("./passwords.mjs").Passwords }} Wanted
 * `metricsUrl` is the gateway's.
 * @typedef {Awaited<ReturnType<typeof supervise>> & { metricsUrl: string, runnerMetricsUrl: string }} System
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
 * Starts MongoDB and NATS, unless the environment names them, and then the six services.
 * @param {Wanted} wanted
 * @returns {Promise<System>}
 * @throws {Error} that names the part that did not start; by then the others are stopped
 */
export const startSystem = async (wanted) => {
  const { natsPasswords } = wanted;
  const servers = /** @type {import("./supervisor.mjs").Part[]} */ ([]);
  const addServer = async (
    /** @type {string} */ name,
    /** @type {typeof mongodRecipe | typeof natsRecipe} */ recipeOf,
  ) => {
    const users = natsUsersOf(natsPasswords, process.env.RUNNER_DRIVERS || wanted.drivers);
    const recipe = await recipeOf({ dataDir: join(wanted.dataDir, name), port: await freePort(), users });
    servers.push(serverPart(name, recipe));
    return recipe.url;
  };
  const mongoUrl = process.env.MONGO_URL || (await addServer("mongod", mongodRecipe));
  const ownNats = process.env.NATS_URL ? undefined : await addServer("nats-server", natsRecipe);
  const natsUrlOf = (/** @type {string} */ service) =>
    ownNats ? urlAs(ownNats, service, natsPasswords) : process.env.NATS_URL;
  const { parts, metricsUrlOf } = await servicesOf({ ...wanted, mongoUrl, natsUrlOf });
  const services = parts.map((part) => ({ ...part, needs: [...servers.map(({ name }) => name), ...part.needs] }));
  const options = { logDir: join(wanted.dataDir, "logs"), restart: wanted.restart ?? false };
  const running = await supervise([...servers, ...services], options);
  writeFileSync(mongoUrlFile(wanted.dataDir), mongoUrl, { mode: 0o600 });
  return { ...running, metricsUrl: metricsUrlOf("gateway"), runnerMetricsUrl: metricsUrlOf("runner") };
};
