import type { Log } from "@ci/kit/process/log";
import type { Driver_Type } from "@ci/proto/builds/v1/queue";
import type { Config, DriversConfig } from "../config.js";
import type { Driver } from "../driver.js";
import { dockerDriver } from "./docker.js";
import { osDriver } from "./os.js";
import type { Images } from "./qemu/image.js";
import { qemuDriver } from "./qemu.js";
import { isRoot } from "./user.js";
import type { WorkRoot } from "./work-root.js";

export async function openDrivers(
  config: DriversConfig & Pick<Config, "drivers" | "name" | "builds">,
  root: WorkRoot,
  images: Images["service"],
  log: Log,
): Promise<ReadonlyMap<Driver_Type, Driver>> {
  const common = { name: config.name, root, path: config.path, egress: config.egress, log };
  const make = {
    docker: () => dockerDriver({ ...config.docker, ...common }),
    qemu: () => qemuDriver({ ...config.qemu, ...common, builds: config.builds, images }),
    os: () => osDriver({ root, path: config.os.path, uids: isRoot() ? config.os.uids : undefined, log }),
  };
  const drivers = new Map<Driver_Type, Driver>();
  for (const name of config.drivers) drivers.set(name, await make[name]());
  return drivers;
}
