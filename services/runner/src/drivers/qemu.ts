import { execFile } from "node:child_process";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Log } from "@ci/kit/process/log";
import type { QemuConfig, UidRange } from "../config.js";
import type { Driver } from "../driver.js";
import { showEgress, showWaiting } from "../metrics.js";
import type { EgressConfig } from "./egress/egress-config.js";
import { thisHost } from "./egress/here.js";
import { type Egress, keepEgress } from "./egress/keeper.js";
import { canBoot, mayUseKvm, trialPrefix } from "./qemu/acceleration.js";
import { openCache } from "./qemu/cache.js";
import { qemuEnvironment } from "./qemu/environment.js";
import { bootGuest } from "./qemu/guest.js";
import type { Images } from "./qemu/image.js";
import { endMachine, findLeftovers, machinesIn } from "./qemu/leftovers.js";
import { type Acceleration, program } from "./qemu/machine.js";
import { openPool } from "./qemu/pool.js";
import { type Users, usersFrom } from "./qemu/users.js";
import { newOwners, type WarmMachineOptions } from "./qemu/warm-machine.js";
import type { WorkRoot } from "./work-root.js";

export interface QemuOptions extends QemuConfig {
  readonly name: string;
  readonly root: WorkRoot;
  readonly path: string;
  readonly builds: number;
  readonly answerMs?: number;
  readonly egress: EgressConfig;
  readonly images: Images["service"];
  readonly log: Log;
}

/** Machines that end while others start have users too. The trial of KVM has one. */
const usersOf = ({ firstUid: first, builds, warm }: QemuOptions): UidRange => ({
  first,
  last: first + 2 * (builds + warm.maxMachines),
});

/** Keeps machines with a network from private addresses: what they send comes from QEMU's own processes. */
function egressOf(options: QemuOptions): Egress | undefined {
  const { name, path, egress: config, log, outbound } = options;
  if (!outbound) return undefined;
  const { first, last } = usersOf(options);
  const jumps = [{ hook: "OUTPUT", match: `-m owner --uid-owner ${first}-${last}` } as const];
  return keepEgress({ config, driver: "qemu", name, jumps, place: thisHost(path), log });
}

export async function qemuDriver(driverOptions: QemuOptions): Promise<Driver> {
  const { name, root, path, images, log, ...config } = driverOptions;
  await removeTrials(root);
  const { imagesDir, cacheBytes: limitBytes } = config;
  const users = usersFrom(usersOf(driverOptions));
  const owners = newOwners();
  let acceleration: Promise<Acceleration> | undefined;
  const options = {
    root,
    limits: config,
    virtualBytes: config.virtualBytes,
    users,
    path,
    log,
    acceleration() {
      acceleration ??= config.acceleration === "auto" ? proven({ root, path, users, log }) : given(config.acceleration);
      return acceleration;
    },
  };
  const boot: WarmMachineOptions["boot"] = (image, mark, on) => bootGuest(image, mark, options, on);
  const pool = openPool({ ...config.warm, answerMs: config.answerMs, boot, owners, log });
  const { giveWay } = pool;
  const cache = await openCache({ folder: join(imagesDir, "_cache"), limitBytes, owner: name, giveWay });
  const baseFolder = join(imagesDir, "_base", "qemu", "x86_64");
  const { keepLimitMs } = config;
  const environmentOptions = { ...options, pool, images: { service: images, cache, baseFolder }, name, keepLimitMs };
  const egress = egressOf(driverOptions);
  const shown = [showWaiting(pool.ready), ...(egress ? [showEgress("qemu", egress)] : [])];
  return {
    type: "qemu",
    async ready() {
      try {
        for (const one of [program, "qemu-img"]) await promisify(execFile)(one, ["--version"], { env: { PATH: path } });
        await options.acceleration();
        return (await egress?.ensure()) ?? true;
      } catch (error) {
        log.warn({ err: error }, "QEMU cannot be run");
        return false;
      }
    },
    disks: () => [{ name: "images", path: imagesDir }],
    async makeRoom(isShort) {
      do await cache.shed(isShort);
      while ((await isShort()) && (await giveWay()));
    },
    environment: (order) => qemuEnvironment(order, environmentOptions),
    leftovers: () => findLeftovers(root, owners),
    async close() {
      for (const one of shown) await one[Symbol.asyncDispose]();
      await pool.close();
      await egress?.remove();
    },
  };
}

const given = async (acceleration: Acceleration) => acceleration;

interface Proving extends Pick<QemuOptions, "root" | "path" | "log"> {
  readonly users: Users;
}

/** Tries KVM only once, because a hanging machine takes seconds to detect. */
async function proven({ root, path, users, log }: Proving): Promise<Acceleration> {
  using taken = users.take();
  const works = await canBoot("kvm", { path, folder: root.path, user: await mayUseKvm(taken.user) });
  if (works) log.info("virtual machines run with KVM");
  else log.warn("KVM cannot boot a machine: virtual machines are emulated, which is slow");
  return works ? "kvm" : "tcg";
}

async function removeTrials(root: WorkRoot): Promise<void> {
  const isTrial = (name: string) => name.startsWith(trialPrefix);
  for (const machine of await machinesIn(root.path))
    if (isTrial(machine.folder.slice(root.path.length + 1))) await endMachine(machine);
  for (const name of (await readdir(root.path)).filter(isTrial)) await rm(join(root.path, name), { recursive: true });
}
