import { chmod, lstat, mkdir, rm, symlink } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { guardedAgent } from "@ci/kit/net/guarded-agent";
import { createLog, type Log } from "@ci/kit/process/log";
import type { Driver_Type } from "@ci/proto/builds/v1/queue";
import { type Copies, openCopies } from "@ci/runner/caches/copies";
import type { Driver } from "@ci/runner/driver";
import { openDrivers } from "@ci/runner/drivers/index";
import type { WorkRoot } from "@ci/runner/drivers/work-root";
import type { LocalConfig } from "./config.js";
import { Refused } from "./refused.js";
import { takeName } from "./run-name.js";

export interface Machine extends AsyncDisposable {
  readonly drivers: ReadonlyMap<Driver_Type, Driver>;
  readonly copies: Copies;
  readonly agent: ReturnType<typeof guardedAgent>;
  readonly log: Log;
}

/** Returns a folder that contains the base image of a build. */
async function imagesDirOf(
  { qemu }: LocalConfig,
  root: WorkRoot,
  images: ReadonlyMap<string, string | undefined>,
): Promise<string> {
  const folder = join(root.path, "images");
  await rm(folder, { recursive: true, force: true });
  for (const [name, given] of images) {
    const below = join("_base", "qemu", "x86_64", name);
    const file = given === undefined ? join(qemu.imagesDir, below) : resolve(given);
    const found = await lstat(file).catch(() => undefined);
    if (!found) throw new Refused(`The image ${name} is not on this machine. Give its disk with --image ${name}=FILE`);
    await mkdir(dirname(join(folder, below)), { recursive: true });
    await symlink(file, join(folder, below));
  }
  await mkdir(folder, { recursive: true });
  await chmod(folder, 0o711);
  return folder;
}

const why = "LOG_LEVEL=warn says why";

function notReady(type: Driver_Type, { docker }: LocalConfig): string {
  if (type === "docker")
    return `No Docker Engine can be used at ${docker.host}. Start it, or name another one with DOCKER_HOST; ${why}`;
  if (type === "qemu")
    return `QEMU cannot be used here. Install qemu-system-x86_64 and qemu-img, or use \`ci submit\`; ${why}`;
  return "The os driver cannot be used here. Use `ci submit`, or a manifest for docker";
}

interface MachineOptions {
  readonly config: LocalConfig;
  readonly types: readonly Driver_Type[];
  /** Files of images for virtual machines, by name; undefined for an image that must be on this machine. */
  readonly images: ReadonlyMap<string, string | undefined>;
}

/** Images on a server are not available here. */
const noServer = {
  findImage: async () => ({}),
  readImage: () => {
    throw new Refused("Images cannot be read without a server");
  },
};

function requireSystem(types: readonly Driver_Type[]): void {
  const others = types.filter((type) => type !== "docker");
  if (process.platform !== "linux" && others.length > 0)
    throw new Refused(`This system can only run builds of the docker driver, not of ${others.join(" or ")}`);
}

/** Removes leftovers of an earlier run with the same name. Throws Refused if a driver cannot be used. */
async function makeReady(drivers: Iterable<Driver>, config: LocalConfig): Promise<void> {
  for (const driver of drivers) {
    if (!(await driver.ready())) throw new Refused(notReady(driver.type, config));
    for (const leftover of await driver.leftovers()) await leftover.remove();
  }
}

/** Opens the drivers of this machine. Throws Refused if one of them cannot be used. */
export async function openMachine({ config, types, images }: MachineOptions): Promise<Machine> {
  requireSystem(types);
  const log = createLog("run", config.logLevel, process.stderr.fd);
  const taken = await takeName(config);
  const { name, root } = taken;
  const parts: (() => unknown)[] = [() => taken[Symbol.dispose]()];
  const dispose = async () => {
    for (const end of parts.reverse()) await end();
  };
  try {
    const imagesDir = await imagesDirOf(config, root, images);
    const copies = await openCopies(join(config.cacheDir, "caches"), config.cacheCopiesBytes, join(root.path, "parts"));
    const own = { ...config, qemu: { ...config.qemu, imagesDir }, drivers: types, name, builds: 1 };
    const drivers = await openDrivers(own, root, noServer, log).catch((error) => {
      throw new Refused((error as Error).message.replace(/^RUNNER_DIR/, "TMPDIR"));
    });
    for (const driver of drivers.values()) parts.push(() => driver.close?.());
    const agent = guardedAgent(config.docker.guard);
    parts.push(() => agent.destroy());
    await makeReady(drivers.values(), config);
    return { drivers, copies, agent, log, [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}
