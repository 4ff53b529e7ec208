// The system that `npm run bench -- all` measures, with its own servers, which count their requests.
import { join } from "node:path";
import { startMongod, startNats } from "../../deploy/local/provision/binaries.mjs";
import { freePort } from "../../deploy/local/provision/machine.mjs";
import { apiAt } from "../../deploy/local/start/api.mjs";
import { keepFolder, removeFolder, temporaryFolder } from "../../deploy/local/start/guardian.mjs";
import { readOrCreateSettings } from "../../deploy/local/start/settings.mjs";
import { startSystem } from "../../deploy/local/start/system.mjs";
import { cpuOfChildren } from "../processes.mjs";

/** @typedef {Awaited<ReturnType<typeof startWorld>>} World */

/** The cost of some work: CPU milliseconds of all services and servers, those of the six services, and requests to MongoDB. */
/** @typedef {{ cpuMs: number, servicesMs: number, requests: number }} Cost */

export const services = ["gateway", "builds", "namespaces", "images", "webhooks", "runner"];

/** Processes that generate load, not those that serve it. */
const own = new Set(["echo", "receiver", "emitter"]);

/**
 * Starts MongoDB, NATS and the services.
 * @param {Record<string, string>} settings
 */
export const startWorld = async (settings = {}) => {
  const dataDir = temporaryFolder("service-ci-bench-");
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
  const { connectClient } = await import("@ci/kit/mongo/client");
  // Its heartbeats would be counted.
  const quiet = /** @type {const} */ ({ serverMonitoringMode: "poll", heartbeatFrequencyMS: 3_600_000 });
  const mongo = await connectClient(mongod.url, quiet);
  /** Counts itself. */
  const requestsSoFar = async () => (await mongo.db("admin").command({ serverStatus: 1 })).network.numRequests;
  let keepsLogs = false;
  const cpuSoFar = () => [...cpuOfChildren()].filter(([name]) => !own.has(name));

  return {
    url,
    mongoUrl: mongod.url,
    natsUrl: nats.url,
    buildsAddress: system.buildsAddress,
    serviceKeys: kept.serviceKeys,
    api: apiAt(url, kept.adminToken),
    /** Measures the cost of the whole system while `work` runs. @template T @param {() => Promise<T>} work */
    async costOf(work) {
      const [before, requestsBefore] = [new Map(cpuSoFar()), await requestsSoFar()];
      const result = await work();
      const spent = cpuSoFar().map(([name, ms]) => ({ name, ms: ms - (before.get(name) ?? 0) }));
      const sum = (/** @type {typeof spent} */ some) => some.reduce((total, { ms }) => total + ms, 0);
      const ofServices = spent.filter(({ name }) => services.includes(name));
      const requests = (await requestsSoFar()) - requestsBefore - 1;
      /** @type {Cost} */
      const cost = { cpuMs: sum(spent), servicesMs: sum(ofServices), requests };
      return { result, cost };
    },
    /** Keeps the logs of a run that failed, and says where they are. */
    keepLogs() {
      keepsLogs = true;
      keepFolder(dataDir);
      console.error(`The logs are in ${dataDir}.`);
    },
    async stop() {
      await mongo.close();
      await system.stop();
      await nats.stop();
      await mongod.stop();
      for (const name of ["MONGO_URL", "NATS_URL"]) delete process.env[name];
      if (!keepsLogs) removeFolder(dataDir);
    },
  };
};
