// Starts what the probes run in: the whole system, a host beyond this one, and a build beside them.
import { createHash, randomBytes } from "node:crypto";
import {
  copyFileSync,
  createReadStream,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { testDisks } from "../deploy/local/provision/disk.mjs";
import { setUpEngine } from "../deploy/local/provision/engine.mjs";
import { sampleImage } from "../deploy/local/provision/images.mjs";
import { freePort } from "../deploy/local/provision/machine.mjs";
import { apiAt } from "../deploy/local/start/api.mjs";
import { onStop } from "../deploy/local/start/cleanup.mjs";
import { removeFolder, temporaryFolder } from "../deploy/local/start/guardian.mjs";
import { readOrCreateSettings, runnerDirOf } from "../deploy/local/start/settings.mjs";
import { startSystem } from "../deploy/local/start/system.mjs";
import { startNeighbour } from "./neighbour.mjs";
import { startOutside, whyNoFilter } from "./outside.mjs";
import { namespaces } from "./tool/namespaces.mjs";

/** @typedef {Awaited<ReturnType<typeof startWorld>>} World */

export const workspace = "/work";

/** Small limits end the probes of resources soon. The walls are the same as with the defaults. */
const settings = {
  RUNNER_BUILDS: "8",
  DOCKER_MEMORY: "128MiB",
  DOCKER_DISK: "128MiB",
  DOCKER_FILES: "5000",
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
  // Debian's engine brings iptables along.
  const engine = await setUpEngine();
  const why = whyNoFilter();
  if (why) throw new Error(`The probes need a packet filter on the host of the engine, and ${why}.`);
  if (places.includes("os")) return { image: "" };
  const image = await sampleImage();
  if (!image) throw new Error(`The probes need an image${"reason" in engine ? `: ${engine.reason}` : ""}.`);
  if (!places.includes("vm")) return { image };
  const disks = await testDisks();
  if ("reason" in disks) throw new Error(`The probes need a disk for virtual machines: ${disks.reason}.`);
  const base = join(dataDir, "images/_base/qemu/x86_64");
  mkdirSync(base, { recursive: true });
  copyFileSync(join(disks.folder, "keyed.qcow2"), join(base, "probe"));
  return { image, disk: join(base, "probe") };
};

/** @param {string | undefined} file */
const hashOf = async (file) => {
  const hash = createHash("sha256");
  if (file) await pipeline(createReadStream(file), hash);
  return hash.digest("hex");
};

/** Returns the id of the process that has this name as its RUNNER_NAME. @param {string} name */
const runnerCalled = (name) => {
  const is = (/** @type {string} */ pid) => {
    try {
      const environment = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
      return (
        environment.includes(`RUNNER_NAME=${name}`) && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("/runner/")
      );
    } catch {
      return false;
    }
  };
  return Number(readdirSync("/proc").find((pid) => /^\d+$/.test(pid) && is(pid)));
};

/**
 * The os driver has a world of its own: elsewhere the API has to refuse it.
 * @param {import("./probes.mjs").Place[]} places
 * @param {"enforce" | "open"} egress
 */
export const startWorld = async (places, egress = "enforce") => {
  const dataDir = temporaryFolder("service-ci-probe-");
  onStop(() => removeFolder(dataDir));
  const { image, disk } = await prepare(dataDir, places);
  const outside = await startOutside();
  onStop(outside.stop);
  const id = randomBytes(4).toString("hex");
  const drivers = places.map((place) => (place === "vm" ? "qemu" : place)).join(",");
  const accepted = drivers === "os" ? "os" : "docker,qemu";
  Object.assign(process.env, settings, { JOB_EGRESS: egress, RUNNER_DRIVERS: drivers, DRIVERS: accepted });
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
  const folders = { data: dataDir, runner: runnerDirOf(dataDir, drivers) };
  onStop(() => rmSync(folders.runner, { recursive: true, force: true }));
  const all = {
    docker: { type: "docker", image, workspace },
    vm: { type: "qemu", image: "probe" },
    os: { type: "os" },
  };
  const place = drivers === "os" ? "os" : "docker";
  const secretFile = join(dataDir, "secret-of-the-host");
  writeFileSync(secretFile, "secret of the host\n");
  const before = await hashOf(disk);
  return {
    ...outside,
    ...{ api, apiPort, image, secretFile, folders, died: system.died },
    ...{ drivers: all, runner: runnerCalled(`probe-${id}`) },
    namespaces: namespaces.map((/** @type {string} */ name) => readlinkSync(`/proc/self/ns/${name}`)),
    neighbour: await startNeighbour(api, all[place], place),
    diskIsIntact: async () => (await hashOf(disk)) === before,
  };
};
