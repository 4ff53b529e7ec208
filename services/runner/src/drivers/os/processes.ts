import { readFileSync } from "node:fs";
import { readdir, readFile, readlink } from "node:fs/promises";

export interface Process {
  readonly pid: number;
  readonly group: number;
  /** Ticks since boot. Identifies a process together with its id, which may be reused. */
  readonly startTime: string;
  /** The real user id. */
  readonly uid?: number;
  readonly home?: string;
  readonly folder?: string;
}

/** Fields of /proc/<pid>/stat after the command, which may contain anything. */
const fieldsOf = (stat: string): string[] => stat.slice(stat.lastIndexOf(")") + 2).split(" ");

/** Synchronous on purpose: some ten microseconds, many times faster than a thread-pool read. */
function statOf(pid: number): string[] | undefined {
  try {
    return fieldsOf(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return undefined;
  }
}

/** Returns when a process started; undefined if there is none, or no /proc. */
export const startTimeOf = (pid: number): string | undefined => statOf(pid)?.[19];

/** A process can hide its environment and working directory from others, but not its user. */
async function uidOf(pid: number): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  const uid = /^Uid:\t(\d+)/m.exec(status)?.[1];
  return uid === undefined ? undefined : Number(uid);
}

async function processOf(pid: number, since: bigint): Promise<Process | undefined> {
  const unknown = () => undefined;
  const fields = statOf(pid);
  if (!fields) return undefined;
  // A zombie.
  if (fields[0] === "Z" || BigInt(fields[19]!) < since) return undefined;
  const environment = await readFile(`/proc/${pid}/environ`, "utf8").catch(unknown);
  const home = environment?.split("\0").find((entry) => entry.startsWith("HOME="));
  return {
    pid,
    group: Number(fields[2]),
    startTime: fields[19]!,
    uid: await uidOf(pid),
    home: home?.slice("HOME=".length),
    folder: await readlink(`/proc/${pid}/cwd`).catch(unknown),
  };
}

/** Returns all processes started at or after `since`, in ticks since boot; none without /proc. */
export async function processes(since: bigint): Promise<Process[]> {
  const entries = await readdir("/proc").catch(() => []);
  const pids = entries.filter((entry) => /^\d+$/.test(entry)).map(Number);
  const all = await Promise.all(pids.map((pid) => processOf(pid, since)));
  return all.filter((found) => found !== undefined);
}
