// What `npm start` and `npm run dev` do before they start the system: check, install, build, choose drivers.
import { createServer } from "node:net";
import { build, buildWeb } from "../provision/build.mjs";
import { findEngine } from "../provision/engine.mjs";
import { testImage } from "../provision/images.mjs";
import { install } from "../provision/install.mjs";
import { chooseDrivers, wantsDocker } from "./drivers.mjs";
import { checkServers } from "./reachable.mjs";
import { deleteData, holdData, readOrCreateSettings } from "./settings.mjs";

/** @typedef {import("./options.mjs").Options} Options */

/** @param {number} port */
const checkPortFree = (port) =>
  new Promise((resolve, reject) => {
    const refuse = (/** @type {NodeJS.ErrnoException} */ { code }) =>
      reject(new Error(`Port ${port} ${code === "EACCES" ? "may not be used" : "is in use"}: set CI_PORT to another.`));
    const server = createServer().once("error", refuse);
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(undefined)));
  });

/** @param {Options} options */
const findDrivers = async (options) => {
  const engine = await findEngine();
  /** @type {import("./drivers.mjs").Found} */
  const found = { engine, ...(engine && wantsDocker(options) ? await testImage() : {}) };
  // The runner looks for an engine in one place only.
  if (engine?.startsWith("unix:")) process.env.DOCKER_HOST ||= engine;
  return { ...found, ...chooseDrivers(options, found) };
};

/** Names what this start will run. */
export const startedParts = () => {
  const { MONGO_URL, NATS_URL } = process.env;
  if (MONGO_URL && NATS_URL) return "the six services";
  if (MONGO_URL) return "NATS and the six services";
  return NATS_URL ? "MongoDB and the six services" : "MongoDB, NATS and the six services";
};

/**
 * Prepares a start. Prints what the user should know about drivers.
 * @param {Options} options
 * @throws {Error} with one sentence if the system cannot start
 */
export const prepare = async (options) => {
  await holdData(options.dataDir);
  await checkPortFree(options.port);
  await install();
  console.log("Building ...");
  await build();
  await buildWeb();
  await checkServers(process.env);
  const { serves, sample, noSample, notes, image } = await findDrivers(options);
  if (noSample && options.once) throw new Error(noSample);
  for (const line of [...notes, noSample]) if (line) console.log(line);
  if (options.fresh) deleteData(options.dataDir);
  return { drivers: serves.join(","), sample, image, ...readOrCreateSettings(options.dataDir) };
};
