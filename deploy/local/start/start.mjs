// `npm start`: everything on this machine, from a clean clone with nothing but Node and npm.
//   --once   exit after the sample build, with 0 if and only if it passed and its webhook was told
//   --fresh  forget all data of earlier starts
import { randomBytes } from "node:crypto";
import { createServer } from "node:net";
import { join } from "node:path";
import { build } from "../provision/build.mjs";
import { dockerAnswers } from "../provision/engine.mjs";
import { testImage } from "../provision/images.mjs";
import { install } from "../provision/install.mjs";
import { apiAt } from "./api.mjs";
import { chooseDrivers, wantsDocker } from "./drivers.mjs";
import { firstBuild, welcome } from "./first-build.mjs";
import { readOptions } from "./options.mjs";
import { demandServers } from "./reachable.mjs";
import { startReceiver } from "./sample-receiver.mjs";
import { forgetData, readOrMakeSettings } from "./settings.mjs";
import { startSystem } from "./system.mjs";

/** @typedef {import("./options.mjs").Options} Options */

const say = (/** @type {string} */ text) => console.log(text);

/** What has to be ended, the last one first. */
const stops = /** @type {(() => unknown)[]} */ ([]);
const stopAll = async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
};

/** @param {number} port */
const demandFree = (port) =>
  new Promise((resolve, reject) => {
    const refuse = (/** @type {NodeJS.ErrnoException} */ { code }) =>
      reject(new Error(`Port ${port} ${code === "EACCES" ? "may not be used" : "is in use"}: set CI_PORT to another.`));
    const server = createServer().once("error", refuse);
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(undefined)));
  });

/** @param {Options} options */
const findDrivers = async (options) => {
  const engine = await dockerAnswers();
  /** @type {import("./drivers.mjs").Found} */
  const found = { engine, ...(engine && wantsDocker(options) ? await testImage() : {}) };
  // The runner looks for an engine in one place only.
  if (engine?.startsWith("unix:")) process.env.DOCKER_HOST ||= engine;
  return { ...found, ...chooseDrivers(options, found) };
};

const whatStarts = () => {
  const { MONGO_URL, NATS_URL } = process.env;
  if (MONGO_URL && NATS_URL) return "the six services";
  if (MONGO_URL) return "NATS and the six services";
  return NATS_URL ? "MongoDB and the six services" : "MongoDB, NATS and the six services";
};

const start = async () => {
  const options = readOptions(process.argv.slice(2), process.env);
  const { url, ownUrl, port, dataDir, once } = options;
  await demandFree(port);
  await install();
  say("Building ...");
  await build();
  await demandServers(process.env);
  const { serves, sample: driver, missing, says, image } = await findDrivers(options);
  if (missing && once) throw new Error(missing);
  for (const line of [...says, missing]) if (line) say(line);
  if (options.fresh) forgetData(dataDir);
  const { adminToken, secretKeys } = readOrMakeSettings(dataDir);
  const secret = randomBytes(16).toString("hex");
  const receiver = await startReceiver(secret, options.headerPrefix);
  stops.push(receiver.stop);
  const guardAllow = [process.env.CI_GUARD_ALLOW, receiver.address].filter(Boolean).join(",");
  say(`Starting ${whatStarts()} ...`);
  const drivers = serves.join(",");
  const system = await startSystem({ url, port, adminToken, secretKeys, guardAllow, drivers, dataDir, restart: true });
  stops.push(system.stop);
  const died = system.died.then((sentence) => Promise.reject(new Error(sentence)));
  const api = apiAt(ownUrl, adminToken, url);
  const first = driver ? firstBuild(api, { driver, image, receiver, secret }) : { good: false, build: undefined };
  const { good, build: sample } = await Promise.race([first, died]);
  if (once) return good ? 0 : 1;
  say(welcome(options, { adminToken, driver, image, build: sample }));
  say(`Logs are in ${join(dataDir, "logs")}. Ctrl-C stops everything.`);
  return died;
};

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
  process.once(signal, async () => {
    say("\nStopping ...");
    await stopAll();
    process.exit(0);
  });
const code = await start().catch((/** @type {Error} */ error) => {
  console.error(error.message);
  return 1;
});
await stopAll();
process.exit(code);
