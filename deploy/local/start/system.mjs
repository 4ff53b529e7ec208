// The whole system on this machine: servers, services, and how to end them all.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { accepts, complaintIn, mongodRecipe, natsRecipe } from "../provision/binaries.mjs";
import { freePort } from "../provision/machine.mjs";
import { servicesOf } from "./parts.mjs";
import { mongoUrlFile } from "./settings.mjs";
import { supervise } from "./supervisor.mjs";

/**
 * With `restart` what dies is started again.
 * @typedef {Omit<import("./parts.mjs").Installation, "mongoUrl" | "natsUrl"> & { restart?: boolean }} Wanted
 * `metricsUrl` is that of the gateway.
 * @typedef {{ died: Promise<string>, stop: () => Promise<void>, metricsUrl: string, runnerMetricsUrl: string }} System
 */

/**
 * A server as a part that needs nothing.
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
 * Starts MongoDB and NATS, unless the environment names some, and then the six services.
 * @param {Wanted} wanted
 * @returns {Promise<System>}
 * @throws {Error} that says what did not start; nothing is left running then
 */
export const startSystem = async (wanted) => {
  const servers = /** @type {import("./supervisor.mjs").Part[]} */ ([]);
  const own = async (/** @type {string} */ name, /** @type {typeof mongodRecipe | typeof natsRecipe} */ recipeOf) => {
    const recipe = await recipeOf({ dataDir: join(wanted.dataDir, name), port: await freePort() });
    servers.push(serverPart(name, recipe));
    return recipe.url;
  };
  const mongoUrl = process.env.MONGO_URL || (await own("mongod", mongodRecipe));
  const natsUrl = process.env.NATS_URL || (await own("nats-server", natsRecipe));
  const { parts, metricsUrlOf } = await servicesOf({ ...wanted, mongoUrl, natsUrl });
  const services = parts.map((part) => ({ ...part, needs: [...servers.map(({ name }) => name), ...part.needs] }));
  const how = { logDir: join(wanted.dataDir, "logs"), restart: wanted.restart ?? false };
  const { died, stop } = await supervise([...servers, ...services], how);
  writeFileSync(mongoUrlFile(wanted.dataDir), mongoUrl, { mode: 0o600 });
  return { died, stop, metricsUrl: metricsUrlOf("gateway"), runnerMetricsUrl: metricsUrlOf("runner") };
};
