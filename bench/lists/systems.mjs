// Starts systems side by side, each with its own MongoDB, so that the data of one does not affect the other.
import { join } from "node:path";
import { openMongo } from "@ci/kit/mongo/mongo";
import { parseKeys } from "@ci/kit/security/secrets";
import { startMongod } from "../../deploy/local/provision/binaries.mjs";
import { freePort } from "../../deploy/local/provision/machine.mjs";
import { apiAt } from "../../deploy/local/start/api.mjs";
import { readOrCreateSettings } from "../../deploy/local/start/settings.mjs";
import { startSystem } from "../../deploy/local/start/system.mjs";

const stores = /** @type {const} */ (["namespaces", "images", "builds", "webhooks"]);

/**
 * @typedef {Awaited<ReturnType<typeof openMongo>>["db"]} Db
 * @typedef {{ api: import("../../deploy/local/start/api.mjs").Api, dbs: Record<(typeof stores)[number], Db>,
 *   keyring: import("@ci/kit/security/secrets").Keyring, as: (token: string) => import("../../deploy/local/start/api.mjs").Api,
 *   asleep: (work: () => Promise<void>) => Promise<void>, stop: () => Promise<void> }} System
 */

/**
 * Starts a system with everything in one folder.
 * @param {string} dataDir
 * @param {string} guardAllow
 * @returns {Promise<System>}
 */
export const startOne = async (dataDir, guardAllow) => {
  const settings = readOrCreateSettings(dataDir);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const mongoPort = await freePort();
  const mongod = await startMongod({
    dataDir: join(dataDir, "mongod"),
    logFile: join(dataDir, "logs/mongod.log"),
    port: mongoPort,
  });
  const start = () => {
    process.env.MONGO_URL = mongod.url;
    return startSystem({ ...settings, url, port, dataDir, guardAllow, drivers: "os" });
  };
  let system = await start();
  const opened = await Promise.all(stores.map((name) => openMongo(mongod.url, `ci_${name}`)));
  return {
    api: apiAt(url, settings.adminToken),
    as: (token) => apiAt(url, token),
    dbs: /** @type {System["dbs"]} */ (Object.fromEntries(stores.map((name, index) => [name, opened[index].db]))),
    keyring: parseKeys(settings.secretKeys),
    /** Runs `work` while the services are stopped and MongoDB is running. */
    async asleep(work) {
      await system.stop();
      await work();
      system = await start();
    },
    async stop() {
      for (const one of opened) await one[Symbol.asyncDispose]();
      await system.stop();
      await mongod.stop();
    },
  };
};
