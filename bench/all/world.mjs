// The system that `npm run bench -- all` measures, with its own servers, which count their requests.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startMongod, startNats } from "../../deploy/local/provision/binaries.mjs";
import { freePort } from "../../deploy/local/provision/machine.mjs";
import { apiAt } from "../../deploy/local/start/api.mjs";
import { readOrCreateSettings } from "../../deploy/local/start/settings.mjs";
import { startSystem } from "../../deploy/local/start/system.mjs";
import { cpuOfChildren } from "../processes.mjs";

/** @typedef {Awaited<ReturnType<typeof startWorld>>} World */

/** The cost of an operation, or of a second: CPU milliseconds of all services and servers, and requests to MongoDB. */
/** @typedef {{ cpuMs: number, requests: number }} Cost */

/** Processes that generate load, not those that serve it. */
const own = new Set(["echo", "receiver", "emitter"]);

/**
 * Starts MongoDB, NATS and the services.
 * @param {Record<string, string>} settings
 */
export const startWorld = async (settings = {}) => {
  const dataDir = mkdtempSync(join(tmpdir(), "service-ci-bench-"));
  const at = async (/** @type {string} */ name) => ({
    dataDir: join(dataDir, name),
    logFile: join(dataDir, `${name}.log`),
    port: await freePort(),
  });
  const mongod = await startMongod(await at("mongod"));
  const nats = await startNats(await at("nats"));
  Object.assign(process.env, { MONGO_URL: mongod.url, NATS_URL: nats.url, ...settings });
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const kept = readOrCreateSettings(dataDir);
  const drivers = settings.RUNNER_DRIVERS ?? "os";
  const system = await startSystem({ ...kept, url, port, dataDir, guardAllow: "127.0.0.1", drivers });
  const { openMongo } = await import("@ci/kit/mongo/mongo");
  const mongo = await openMongo(mongod.url, "admin");
  const requestsSoFar = async () => (await mongo.db.command({ serverStatus: 1 })).network.numRequests;
  const cpuSoFar = () => [...cpuOfChildren()].reduce((sum, [name, ms]) => sum + (own.has(name) ? 0 : ms), 0);

  return {
    url,
    mongoUrl: mongod.url,
    natsUrl: nats.url,
    buildsAddress: system.buildsAddress,
    serviceKeys: kept.serviceKeys,
    api: apiAt(url, kept.adminToken),
    /** Measures the cost of the whole system while `work` runs. @template T @param {() => Promise<T>} work */
    async costOf(work) {
      const [cpuBefore, requestsBefore] = [cpuSoFar(), await requestsSoFar()];
      const result = await work();
      /** @type {Cost} */
      const cost = { cpuMs: cpuSoFar() - cpuBefore, requests: (await requestsSoFar()) - requestsBefore };
      return { result, cost };
    },
    async stop() {
      await mongo[Symbol.asyncDispose]();
      await system.stop();
      await nats.stop();
      await mongod.stop();
      for (const name of ["MONGO_URL", "NATS_URL"]) delete process.env[name];
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
};
