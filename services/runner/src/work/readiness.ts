import { stat, statfs } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import type { Log } from "@ci/kit/process/log";
import type { Driver_Type } from "@ci/proto/builds/v1/queue";
import type { Copies } from "../caches/copies.js";
import type { Config } from "../config.js";
import type { Disk, Driver } from "../driver.js";

export interface Readiness {
  /** Returns the drivers that respond in time, have disk space and do not rest. */
  drivers(): Promise<Driver_Type[]>;
  /** Lets a driver rest after this machine failed a build, to spare the next one. */
  failed(driver: Driver_Type): void;
  worked(driver: Driver_Type): void;
  disks(): Promise<readonly Space[]>;
}

export interface Space extends Disk {
  readonly freeBytes: number;
  readonly short: boolean;
}

interface ReadinessOptions {
  readonly config: Pick<Config, "dir" | "freeSpaceBytes">;
  readonly drivers: ReadonlyMap<Driver_Type, Driver>;
  readonly copies: Pick<Copies, "makeRoom">;
  readonly log: Log;
}

interface Look {
  readonly able: Promise<boolean>;
  readonly patientUntil: number;
}

const firstRestMs = 5_000;
const maxRestMs = 60_000;
/** How long a disk that had room is not looked at again: a runner may claim many builds a second. */
const trustMs = 1_000;
/** How long a look at a driver may hold up the drivers that are able. Later ones join the next claim. */
const patienceMs = 1_000;

/** No free inode counts as full. Undefined without such a folder. */
async function freeBytes(path: string): Promise<number | undefined> {
  const found = await statfs(path).catch(() => undefined);
  if (!found) return undefined;
  return found.files > 0 && found.ffree === 0 ? 0 : found.bavail * found.bsize;
}

const deviceOf = (path: string): Promise<number | undefined> =>
  stat(path).then(
    ({ dev }) => dev,
    () => undefined,
  );

/** Reports whether what a driver keeps may lie on this disk. From a container, that of the engine cannot be seen. */
async function fills(driver: Driver, disk: Disk): Promise<boolean> {
  const [device, ...own] = await Promise.all([disk, ...(driver.disks?.() ?? [])].map(({ path }) => deviceOf(path)));
  return device !== undefined && own.some((one) => one === undefined || one === device);
}

/** Returns which drivers are able. Once one is, the others have until the end of their patience. */
async function ableSoon(looks: readonly Look[]): Promise<boolean[]> {
  const firstAble = Promise.any(looks.map(async ({ able }) => (await able) || Promise.reject()));
  const done = new AbortController();
  const late = (until: number) =>
    firstAble.then(() => delay(until - performance.now(), false, { signal: done.signal })).catch(() => false);
  const able = await Promise.all(looks.map(({ able, patientUntil }) => Promise.race([able, late(patientUntil)])));
  done.abort();
  return able;
}

/** Watches drivers and disks. Logs each change of a disk once. */
export function readinessOf({ config, drivers, copies, log }: ReadinessOptions): Readiness {
  const work: Disk = { name: "work", path: config.dir };
  const resting = new Map<Driver_Type, { readonly until: number; readonly ms: number }>();
  const looks = new Map<Driver_Type, Look>();
  const knownShort = new Set<string>();
  /** Until when each disk is trusted to have room. */
  const trusted = new Map<string, number>();

  async function spaceOf(disk: Disk): Promise<Space | undefined> {
    const free = await freeBytes(disk.path);
    return free === undefined ? undefined : { ...disk, freeBytes: free, short: free < config.freeSpaceBytes };
  }

  function logChange({ name, path, freeBytes, short }: Space): void {
    if (short === knownShort.has(path)) return;
    const fields = { disk: name, path, freeBytes, requiredBytes: config.freeSpaceBytes };
    if (short) {
      knownShort.add(path);
      log.warn(fields, "the disk is short of space: claiming no builds");
    } else {
      knownShort.delete(path);
      log.info(fields, "the disk has enough space again");
    }
  }

  const holdsCopies = async ({ path }: Disk) => (await deviceOf(path)) === (await deviceOf(work.path));

  /** Frees what is kept for later builds first. */
  async function hasRoom(disk: Disk, driver: Driver): Promise<boolean> {
    if (performance.now() < (trusted.get(disk.path) ?? 0)) return true;
    const isShort = async () => (await spaceOf(disk))?.short === true;
    if ((await isShort()) && (await holdsCopies(disk))) await copies.makeRoom(isShort);
    if ((await isShort()) && (await fills(driver, disk))) await driver.makeRoom?.(isShort);
    const space = await spaceOf(disk);
    if (space) logChange(space);
    if (space?.short === true) return false;
    trusted.set(disk.path, performance.now() + trustMs);
    return true;
  }

  const rests = ({ type }: Driver) => (resting.get(type)?.until ?? 0) > performance.now();

  async function isAble(driver: Driver): Promise<boolean> {
    if (rests(driver) || !(await driver.ready())) return false;
    for (const disk of [work, ...(driver.disks?.() ?? [])]) if (!(await hasRoom(disk, driver))) return false;
    return true;
  }

  function look(driver: Driver): Look {
    const underWay = looks.get(driver.type);
    if (underWay) return underWay;
    const able = isAble(driver).finally(() => looks.delete(driver.type));
    const begun = { able, patientUntil: performance.now() + patienceMs };
    looks.set(driver.type, begun);
    return begun;
  }

  return {
    async drivers() {
      const all = [...drivers.values()];
      const able = await ableSoon(all.map(look));
      return all.filter((driver, index) => able[index] && !rests(driver)).map(({ type }) => type);
    },
    failed(driver) {
      const ms = Math.min(2 * (resting.get(driver)?.ms ?? firstRestMs / 2), maxRestMs);
      resting.set(driver, { until: performance.now() + ms, ms });
      log.warn({ driver, ms }, "this machine failed a build: claiming none for this driver for a while");
    },
    worked: (driver) => void resting.delete(driver),
    async disks() {
      const all = [work, ...[...drivers.values()].flatMap((driver) => driver.disks?.() ?? [])];
      return (await Promise.all(all.map(spaceOf))).filter((space) => space !== undefined);
    },
  };
}
