// Starts what the probes run in: the whole system, a host beyond this one, and a build beside them.
import { createHash, randomBytes } from "node:crypto";
import { copyFileSync, createReadStream, mkdirSync, mkdtempSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { testDisks } from "../deploy/local/provision/disk.mjs";
import { sampleImage } from "../deploy/local/provision/images.mjs";
import { freePort } from "../deploy/local/provision/machine.mjs";
import { apiAt } from "../deploy/local/start/api.mjs";
import { onStop } from "../deploy/local/start/cleanup.mjs";
import { readOrCreateSettings } from "../deploy/local/start/settings.mjs";
import { startSystem } from "../deploy/local/start/system.mjs";
import { follow, submit } from "./builds.mjs";
import { startOutside, whyNoFilter } from "./outside.mjs";
import { namespaceIds, namespaces } from "./tool/namespaces.mjs";

/** @typedef {Awaited<ReturnType<typeof startWorld>>} World */

export const workspace = "/work";

/** Small limits end the probes of resources soon. The walls are the same as with the defaults. */
const settings = {
  RUNNER_BUILDS: "8",
  DOCKER_MEMORY: "128MiB",
  DOCKER_DISK: "128MiB",
  DOCKER_PIDS: "256",
  OUTPUT_LIMIT: "1MiB",
  QEMU_MEMORY: "256MiB",
  QEMU_NETWORK: "open",
  QEMU_UID: "61800",
};

/**
 * @param {string} dataDir
 * @param {import("./probes.mjs").Place[]} places
 */
const prepare = async (dataDir, places) => {
  const why = whyNoFilter();
  if (why) throw new Error(`The probes need a packet filter on the host of the engine, and ${why}.`);
  const image = await sampleImage();
  if (!image) throw new Error("The probes need a Docker Engine with an image.");
  if (!places.includes("vm")) return { image };
  const disks = await testDisks();
  if ("reason" in disks) throw new Error(`The probes need a disk for virtual machines: ${disks.reason}.`);
  const base = join(dataDir, "images/_base/qemu/x86_64");
  mkdirSync(base, { recursive: true });
  copyFileSync(join(disks.folder, "keyed.qcow2"), join(base, "probe"));
  return { image, disk: join(base, "probe") };
};

/** Starts a build that stays, with a server, a file and a process. @param {import("./builds.mjs").Api} api @param {object} driver */
const startNeighbour = async (api, driver) => {
  const mark = `neighbour-${randomBytes(6).toString("hex")}`;
  const commands = [
    `echo secret | tee ${mark} > /dev/shm/${mark}`,
    namespaceIds,
    `(while :; do echo ${mark} | nc -l -p 8000; done) &`,
    "set +x",
    `echo "address $(ip -4 addr show eth0 | awk '/inet / { sub("/.*", "", $2); print $2 }') $(hostname)"`,
    `sh -c 'sleep 3600; :' ${mark}`,
  ];
  const build = await submit(api, { driver, stages: ["test"], jobs: [{ stage: "test", commands }] });
  /** @type {Promise<RegExpExecArray>} */
  const up = new Promise((resolve, reject) => {
    const onOutput = (/** @type {string} */ output) => {
      const found = /^address (\S+) (\S+)$/m.exec(output);
      if (found) resolve(Object.assign(found, { input: output }));
    };
    follow(api, build, { onOutput }).then(({ output }) => reject(new Error(`The neighbour ended:\n${output}`)), reject);
  });
  const { 1: address, 2: hostname, input } = await up;
  const own = [...input.matchAll(/^(?:pid|net|mnt|ipc|uts):\[\d+\]$/gm)].map(([name]) => name);
  return { mark, address, hostname, port: 8000, namespaces: own };
};

/** @param {string | undefined} file */
const hashOf = async (file) => {
  const hash = createHash("sha256");
  if (file) await pipeline(createReadStream(file), hash);
  return hash.digest("hex");
};

/**
 * @param {import("./probes.mjs").Place[]} places
 * @param {"enforce" | "open"} egress
 */
export const startWorld = async (places, egress = "enforce") => {
  const dataDir = mkdtempSync(join(tmpdir(), "service-ci-probe-"));
  onStop(() => rmSync(dataDir, { recursive: true, force: true }));
  const { image, disk } = await prepare(dataDir, places);
  const outside = await startOutside();
  onStop(outside.stop);
  const id = randomBytes(4).toString("hex");
  const drivers = places.map((place) => (place === "vm" ? "qemu" : place)).join(",");
  Object.assign(process.env, settings, { JOB_EGRESS: egress, RUNNER_DRIVERS: drivers, DRIVERS: "docker,qemu" });
  Object.assign(process.env, { RUNNER_NAME: `probe-${id}`, RUNNER_IMAGES_DIR: join(dataDir, "images") });
  if (process.env.MONGO_URL) process.env.MONGO_DB = `probe_${id}`;
  if (process.env.NATS_URL) process.env.SUBJECT_PREFIX = `probe_${id}`;
  process.env.LOG_LEVEL ||= "warn";
  const apiPort = await freePort();
  const url = `http://127.0.0.1:${apiPort}`;
  const kept = readOrCreateSettings(dataDir);
  const system = await startSystem({ ...kept, url, port: apiPort, dataDir, guardAllow: "", drivers });
  onStop(system.stop);
  const api = apiAt(url, kept.adminToken);
  const docker = { type: "docker", image, workspace };
  const secretFile = join(dataDir, "secret-of-the-host");
  writeFileSync(secretFile, "secret of the host\n");
  const before = await hashOf(disk);
  return {
    ...outside,
    ...{ api, apiPort, image, secretFile, died: system.died },
    drivers: { docker, vm: { type: "qemu", image: "probe" } },
    namespaces: namespaces.map((/** @type {string} */ name) => readlinkSync(`/proc/self/ns/${name}`)),
    neighbour: await startNeighbour(api, docker),
    diskIsIntact: async () => (await hashOf(disk)) === before,
  };
};
