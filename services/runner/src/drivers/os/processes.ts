import { closeSync, openSync, readFileSync, readlinkSync, readSync } from "node:fs";
import { readFile } from "node:fs/promises";

export interface Process {
  readonly pid: number;
  readonly group: number;
  /** Ticks since boot. Identifies a process together with its id, which may be reused. */
  readonly startTime: string;
  /** The real, effective, saved and file system user id: a program of one user may run with the rights of another. */
  readonly uids: readonly number[];
  readonly home?: string;
  readonly folder?: string;
}

const threadsAt = 17;
const startTimeAt = 19;
const line = Buffer.alloc(1_024);

const isExhausted = (error: unknown) =>
  ["EMFILE", "ENFILE", "ENOMEM"].includes((error as NodeJS.ErrnoException).code ?? "");

/** Returns undefined for a process that has ended, and for what only its owner may see. */
function read<T>(reading: () => T): T | undefined {
  try {
    return reading();
  } catch (error) {
    if (isExhausted(error)) throw error;
    return undefined;
  }
}

/** Fields of /proc/<pid>/stat after the command, which may contain anything, up to the start time. */
const statOf = (pid: number): string[] | undefined =>
  read(() => {
    const fd = openSync(`/proc/${pid}/stat`, "r");
    try {
      const stat = line.toString("latin1", 0, readSync(fd, line));
      return stat.slice(stat.lastIndexOf(")") + 2).split(" ", startTimeAt + 1);
    } finally {
      closeSync(fd);
    }
  });

/** Returns when a process started; undefined if there is none, or no /proc. */
export const startTimeOf = (pid: number): string | undefined => statOf(pid)?.[startTimeAt];

/** A process cannot hide its users. */
function uidsOf(pid: number): number[] {
  const line = /^Uid:([\d\t]+)/m.exec(read(() => readFileSync(`/proc/${pid}/status`, "utf8")) ?? "")?.[1] ?? "";
  return line.split("\t").filter(Boolean).map(Number);
}

/** Asynchronous, because reading the memory of a process can block. */
async function homeOf(pid: number): Promise<string | undefined> {
  const environment = await readFile(`/proc/${pid}/environ`, "utf8").catch((error) => {
    if (isExhausted(error)) throw error;
    return "";
  });
  const home = environment.split("\0").find((entry) => entry.startsWith("HOME="));
  return home?.slice("HOME=".length);
}

async function processOf(pid: number, since: bigint): Promise<Process | undefined> {
  const fields = statOf(pid);
  if (!fields) return undefined;
  // A zombie. With more threads, only the first of them has ended.
  if (fields[0] === "Z" && Number(fields[threadsAt]) < 2) return undefined;
  if (BigInt(fields[startTimeAt]!) < since) return undefined;
  return {
    pid,
    group: Number(fields[2]),
    startTime: fields[startTimeAt]!,
    uids: uidsOf(pid),
    folder: read(() => readlinkSync(`/proc/${pid}/cwd`)),
    home: await homeOf(pid),
  };
}

/** Returns those of these processes that started at `since`, in ticks since boot, or later. */
export async function processesOf(ids: Iterable<number>, since: bigint): Promise<Process[]> {
  const found = await Promise.all(Array.from(ids, (pid) => processOf(pid, since)));
  return found.filter((one) => one !== undefined);
}
