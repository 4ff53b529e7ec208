// The whole system on this machine: servers, services, and how to end them all.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { startMongod, startNats } from "../provision/binaries.mjs";
import { freePort } from "../provision/machine.mjs";
import { servicesOf } from "./parts.mjs";
import { mongoUrlFile } from "./settings.mjs";
import { supervise } from "./supervisor.mjs";

/**
 * @typedef {Omit<import("./parts.mjs").Installation, "mongoUrl" | "natsUrl">} Wanted
 * `metricsUrl` is that of the gateway.
 * @typedef {{ died: Promise<string>, stop: () => Promise<void>, metricsUrl: string, runnerMetricsUrl: string }} System
 */

/**
 * Starts MongoDB and NATS, unless the environment names some, and then the six services.
 * @param {Wanted} wanted
 * @returns {Promise<System>}
 * @throws {Error} that says what did not start; nothing is left running then
 */
export const startSystem = async (wanted) => {
  const logDir = join(wanted.dataDir, "logs");
  const stops = /** @type {(() => Promise<void>)[]} */ ([]);
  const stop = async () => {
    for (const one of stops.splice(0).reverse()) await one();
  };
  const own = async (/** @type {string} */ name, /** @type {typeof startMongod} */ start) => {
    const logFile = join(logDir, `${name}.log`);
    const server = await start({ dataDir: join(wanted.dataDir, name), logFile, port: await freePort() });
    stops.push(server.stop);
    return server.url;
  };
  try {
    const mongoUrl = process.env.MONGO_URL || (await own("mongod", startMongod));
    writeFileSync(mongoUrlFile(wanted.dataDir), mongoUrl, { mode: 0o600 });
    const natsUrl = process.env.NATS_URL || (await own("nats-server", startNats));
    const services = await servicesOf({ ...wanted, mongoUrl, natsUrl });
    const supervised = await supervise(services, logDir);
    stops.push(supervised.stop);
    const metricsUrlOf = (/** @type {string} */ service) => {
      const part = /** @type {import("./supervisor.mjs").Part} */ (services.find(({ name }) => name === service));
      return part.readyUrl.replace(/readyz$/, "metrics");
    };
    const urls = { metricsUrl: metricsUrlOf("gateway"), runnerMetricsUrl: metricsUrlOf("runner") };
    return { died: supervised.died, stop, ...urls };
  } catch (error) {
    await stop();
    throw error;
  }
};
