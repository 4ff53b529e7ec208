// Prepares what the tests need: an engine with images, or servers started here; disks for virtual machines.
import { existsSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { baseImage } from "../../base-image/cached.mjs";
import { startMongod, startNats } from "../provision/binaries.mjs";
import { findBrowser } from "../provision/browser.mjs";
import { testDisks } from "../provision/disk.mjs";
import { setUpEngine } from "../provision/engine.mjs";
import { isMadeHere, mongoImage, natsImage, reaperImage, testImage } from "../provision/images.mjs";
import { cacheDir, freePort } from "../provision/machine.mjs";
import { findNode } from "../provision/node.mjs";
import { removeFolder, temporaryFolder } from "../start/guardian.mjs";
import { heading } from "./steps.mjs";

/**
 * `env` are variables for the tests. `notRun` names what cannot be tested here, and why.
 * @typedef {{ env: NodeJS.ProcessEnv, notRun: string[], stop: () => Promise<void> }} Surroundings
 */

/**
 * Prepares what the tests need, as far as this machine permits.
 * @param {import("./needs.mjs").Needs} needs
 * @returns {Promise<Surroundings>}
 */
export const prepareSurroundings = async (needs) => {
  if (needs.servers) heading("surroundings");
  const notRun = /** @type {string[]} */ ([]);
  const docker = needs.engine ? await engineEnv(notRun) : {};
  const disks = needs.disks ? await diskEnv(notRun) : {};
  const browser = needs.web ? await browserEnv(notRun) : {};
  const servers = needs.servers ? await serverEnv() : { env: {}, stop: async () => {} };
  const env = { CI_NODE: await findNode(), ...docker, ...disks, ...browser, ...servers.env };
  return { env, notRun, stop: servers.stop };
};

/** @param {string[]} notRun gets what cannot be tested */
const engineEnv = async (notRun) => {
  const engine = await setUpEngine();
  const { env, reason } = "reason" in engine ? { ...engine, env: {} } : await dockerEnv(engine.address);
  if (reason) notRun.push(`tests with containers (${reason})`);
  return env;
};

/** @param {string[]} notRun gets what cannot be tested */
const diskEnv = async (notRun) => {
  const disks = await testDisks();
  if ("reason" in disks) notRun.push(`tests with virtual machines (${disks.reason})`);
  const debian = "folder" in disks ? await baseImage() : disks;
  if ("reason" in debian && debian !== disks) notRun.push(`builds on an image of Debian (${debian.reason})`);
  return {
    ...("folder" in disks ? { CI_TEST_DISKS: disks.folder } : {}),
    CI_BASE_IMAGE: "file" in debian ? debian.file : "",
  };
};

/** @param {string[]} notRun gets what cannot be tested */
const browserEnv = async (notRun) => {
  const browser = await findBrowser();
  if ("reason" in browser) notRun.push(`the web page in a browser (${browser.reason})`);
  return "path" in browser ? { CI_TEST_BROWSER: browser.path } : {};
};

/**
 * @param {string} address
 * @returns {Promise<{ env: NodeJS.ProcessEnv, reason?: string }>}
 */
const dockerEnv = async (address) => {
  const env = address === "unix:///var/run/docker.sock" ? {} : { DOCKER_HOST: address };
  const found = await testImage();
  return "image" in found ? { env: { ...env, CI_TEST_IMAGE: found.image } } : { env, reason: found.reason };
};

const areNamed = () => !!process.env.MONGO_URL && !!process.env.NATS_URL;

/**
 * Provides MongoDB and NATS for several runs of jest: those that the environment names, or new processes.
 * @returns {Promise<{ env: NodeJS.ProcessEnv, stop: () => Promise<void> }>}
 */
export const prepareServers = async () => (areNamed() ? { env: {}, stop: async () => {} } : startServers());

/**
 * Provides servers: those that the environment names, or containers that jest will start, or new processes.
 * @returns {Promise<{ env: NodeJS.ProcessEnv, stop: () => Promise<void> }>}
 */
const serverEnv = async () => {
  if (areNamed()) return prepareServers();
  const images = await serverImages();
  if ("env" in images) return { env: images.env, stop: async () => {} };
  console.log(`Starting MongoDB and NATS without containers, because ${images.reason}`);
  return startServers();
};

/** @returns {Promise<{ env: NodeJS.ProcessEnv } | { reason: string }>} */
const serverImages = async () => {
  const [mongo, nats] = [await mongoImage(), await natsImage()];
  if ("reason" in mongo) return mongo;
  if ("reason" in nats) return nats;
  // If an image had to be made here, no registry answers, so the reaper cannot be pulled either.
  const reaper = isMadeHere(mongo.image) ? { reason: "no registry answers" } : await reaperImage();
  const reaping = "image" in reaper ? { RYUK_CONTAINER_IMAGE: reaper.image } : { TESTCONTAINERS_RYUK_DISABLED: "true" };
  return { env: { CI_MONGO_IMAGE: mongo.image, CI_NATS_IMAGE: nats.image, ...reaping } };
};

const enoughMemoryBytes = 4 * 1024 ** 3;

/** Returns a folder in memory if there is one: on disk, each confirmed write would wait. */
const fastDir = () => {
  const inMemory = "/dev/shm";
  if (!existsSync(inMemory)) return tmpdir();
  const { bavail, bsize } = statfsSync(inMemory);
  return bavail * bsize > enoughMemoryBytes ? inMemory : tmpdir();
};

/** @returns {Promise<{ env: NodeJS.ProcessEnv, stop: () => Promise<void> }>} */
const startServers = async () => {
  const dir = temporaryFolder("service-ci-", fastDir());
  const at = (/** @type {string} */ name) => ({ dataDir: join(dir, name), logFile: join(cacheDir, `${name}.log`) });
  const mongo = await startMongod({ ...at("mongod"), port: await freePort(), noTableScan: true });
  const nats = await startNats({ ...at("nats-server"), port: await freePort() });
  return {
    env: { MONGO_URL: mongo.url, NATS_URL: nats.url },
    stop: async () => {
      await Promise.all([mongo.stop(), nats.stop()]);
      removeFolder(dir);
    },
  };
};
