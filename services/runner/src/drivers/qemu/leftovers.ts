import { open, readdir } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Leftover } from "../../driver.js";
import { removeFolder } from "../os/files.js";
import { markOf, type WorkRoot } from "../work-root.js";
import type { Owners } from "./warm-machine.js";

interface FoundMachine {
  readonly pid: number;
  readonly folder: string;
}

const prefix = "ci:";

/** QEMU's name, by which a later runner finds the machine of a folder. */
export const nameFor = (folder: string): string => prefix + encodeURIComponent(folder);

function folderIn(name: string): string | undefined {
  try {
    return name.startsWith(prefix) ? decodeURIComponent(name.slice(prefix.length)) : undefined;
  } catch {
    return undefined;
  }
}

/** QEMU's name is among its first arguments. Thousands of other processes may have megabytes of arguments. */
const headBytes = 16 * 1024;

async function headOf(pid: number): Promise<string> {
  await using file = await open(`/proc/${pid}/cmdline`);
  const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(headBytes), 0, headBytes);
  return buffer.toString("utf8", 0, bytesRead);
}

async function folderOf(pid: number): Promise<string | undefined> {
  const words = (await headOf(pid).catch(() => "")).split("\0");
  return folderIn(words[words.indexOf("-name") + 1] ?? "");
}

/** Returns the machines of all folders below `root`; none without /proc. */
export async function machinesIn(root: string): Promise<FoundMachine[]> {
  const pids = (await readdir("/proc").catch(() => [])).filter((entry) => /^\d+$/.test(entry)).map(Number);
  const found: FoundMachine[] = [];
  for (const pid of pids) {
    const folder = await folderOf(pid);
    if (folder !== undefined && dirname(folder) === root) found.push({ pid, folder });
  }
  return found;
}

const lookEveryMs = 10;
const maxLooks = 500;

export async function endMachine({ pid, folder }: FoundMachine): Promise<void> {
  for (let look = 0; look < maxLooks && (await folderOf(pid)) === folder; look++) {
    if (look === 0) process.kill(pid, "SIGKILL");
    await delay(lookEveryMs);
  }
}

/** Returns machines (each before its folder) and folders of builds. Excludes machines that wait for a build. */
export async function findLeftovers(root: WorkRoot, owners: Pick<Owners, "of">): Promise<Leftover[]> {
  const machines = await machinesIn(root.path);
  const folders = await root.all("qemu");
  const found = [
    ...machines.map((machine) => ({
      mark: markOf(machine.folder),
      what: `QEMU ${machine.pid}`,
      mayRun: true,
      remove: () => endMachine(machine),
    })),
    ...folders.map(({ path, mark }) => ({ mark, what: `folder ${path}`, remove: () => removeFolder(path) })),
  ];
  return found.flatMap(({ mark, ...one }) => {
    const owner = mark && owners.of(mark);
    return owner ? [{ ...one, mark: owner }] : [];
  });
}
