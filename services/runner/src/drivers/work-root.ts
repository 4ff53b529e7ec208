import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { lstat, mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Driver_Type } from "@ci/proto/builds/v1/queue";
import type { Mark } from "../driver.js";
import { startTimeOf } from "./os/processes.js";

export interface WorkRoot {
  readonly path: string;
  make(driver: Driver_Type, mark: Mark): Promise<string>;
  /** Returns all folders of a driver, including those of earlier runners. */
  all(driver: Driver_Type): Promise<{ path: string; mark: Mark }[]>;
}

/** Driver, installation (absent in names by earlier versions), build, epoch, random part. */
const nameOf = /^([a-z]+)(?:\.i([0-9a-f]+))?\.(\d+)\.(\d+)\.[0-9a-f]{8}$/;

export function markOf(path: string): Mark | undefined {
  const found = nameOf.exec(basename(path));
  return found ? { installation: found[2], buildId: Number(found[3]), epoch: Number(found[4]) } : undefined;
}

/** In a world-writable folder another user could have created it first. */
async function makePrivate(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  const found = await lstat(path);
  if (!found.isDirectory() || found.uid !== process.getuid?.())
    throw new Error(`RUNNER_DIR: ${path} is not a folder of this user`);
}

interface Holder {
  readonly pid?: unknown;
  readonly startTime?: unknown;
}

async function holderIn(file: string): Promise<Holder> {
  try {
    return (JSON.parse(await readFile(file, "utf8")) as Holder | null) ?? {};
  } catch {
    return {};
  }
}

/** Two runners with one name would sweep each other's builds. */
async function takeName(path: string, name: string): Promise<void> {
  const file = join(path, "runner.json");
  const { pid, startTime } = await holderIn(file);
  const alive = typeof pid === "number" && startTime !== undefined && startTime === startTimeOf(pid);
  if (alive && pid !== process.pid)
    throw new Error(`A runner called ${name} runs already, as process ${pid}: give each its RUNNER_NAME`);
  await writeFile(`${file}.new`, JSON.stringify({ pid: process.pid, startTime: startTimeOf(process.pid) }));
  await rename(`${file}.new`, file);
}

export async function workRoot(dir: string, name: string): Promise<WorkRoot> {
  const root = join(dir, encodeURIComponent(name));
  await makePrivate(dir);
  await makePrivate(root);
  await takeName(root, name);
  return {
    path: root,
    async make(driver, { installation, buildId, epoch }) {
      const whose = installation === undefined ? "" : `.i${installation}`;
      const path = join(root, `${driver}${whose}.${buildId}.${epoch}.${randomBytes(4).toString("hex")}`);
      mkdirSync(path, { mode: 0o700 });
      return path;
    },
    async all(driver) {
      const entries = (await readdir(root)).filter((entry) => nameOf.exec(entry)?.[1] === driver);
      return entries.map((entry) => ({ path: join(root, entry), mark: markOf(entry)! }));
    },
  };
}
