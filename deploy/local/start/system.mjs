// Starts the whole system on this machine: MongoDB, NATS and the six services.
import { join } from "node:path";
import { servicesOf } from "./parts.mjs";
import { mongoOf, natsOf } from "./servers.mjs";
import { keepMongo } from "./settings.mjs";
import { supervise } from "./supervisor.mjs";

/**
 * With `restart`, a part that dies is restarted.
 * @typedef {Omit<import("./parts.mjs").Installation, "mongoUrlOf" | "natsUrlOf"> & { restart?: boolean,
 *   mongoPasswords: import("./passwords.mjs").Passwords, natsPasswords: import("./passwords.mjs").Passwords }} Wanted
 * `metricsUrl` is the gateway's. The builds service serves gRPC at `buildsAddress`.
 * @typedef {Awaited<ReturnType<typeof supervise>> & { metricsUrl: string, runnerMetricsUrl: string,
 *   buildsAddress: string }} System
 */

/**
 * Starts MongoDB and NATS, unless the environment names them, and then the six services.
 * @param {Wanted} wanted
 * @returns {Promise<System>}
 * @throws {Error} that names the part that did not start; by then the others are stopped
 */
export const startSystem = async (wanted) => {
  const [mongo, nats] = [await mongoOf(wanted), await natsOf(wanted)];
  const servers = [...mongo.parts, ...nats.parts];
  const urls = { mongoUrlOf: mongo.urlOf, natsUrlOf: nats.urlOf };
  const { parts, metricsUrlOf, addressOf } = await servicesOf({ ...wanted, ...urls });
  const services = parts.map((part) => ({ ...part, needs: [...servers.map(({ name }) => name), ...part.needs] }));
  const { dataDir, restart = false } = wanted;
  const options = { logDir: join(dataDir, "logs"), dataDir, restart };
  await mongo.prepare?.();
  const running = await supervise([...servers, ...services], options);
  keepMongo(dataDir, mongo.urlOf("ci") ?? "");
  return {
    ...running,
    metricsUrl: metricsUrlOf("gateway"),
    runnerMetricsUrl: metricsUrlOf("runner"),
    buildsAddress: addressOf("builds"),
  };
};
