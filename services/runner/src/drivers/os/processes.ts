import { readFileSync } from "node:fs";
import { readdir, readFile, readlink } from "node:fs/promises";

/** A process of this machine, as far as we may look into it. */
export interface Process {
  readonly pid: number;
  readonly group: number;
  /** When it started, in ticks since boot: with it a process id says who is meant, without it who has the number now. */
  readonly startTime: string;
  /** HOME, as it was given to the process. */
  readonly home?: string;
  /** Its working directory. */
  readonly folder?: string;
}

/** The fields of /proc/<pid>/stat behind the command, which may hold anything. */
const fieldsOf = (stat: string): string[] => stat.slice(stat.lastIndexOf(")") + 2).split(" ");

/**
 * Undefined if there is no such process, or no /proc. The kernel has it in memory: reading at once takes some ten
 * microseconds, asking a thread to read many times that.
 */
function statOf(pid: number): string[] | undefined {
  try {
    return fieldsOf(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return undefined;
  }
}

/** When the process with this id started; undefined if there is none, or no /proc. */
export const startTimeOf = (pid: number): string | undefined => statOf(pid)?.[19];

/** What of a process is looked at only if it is not older than `since`: the rest of it takes two more readings. */
async function processOf(pid: number, since: bigint): Promise<Process | undefined> {
  const unknown = () => undefined;
  const fields = statOf(pid);
  if (!fields) return undefined;
  // One that has ended and waits for its parent to notice.
  if (fields[0] === "Z" || BigInt(fields[19]!) < since) return undefined;
  const environment = await readFile(`/proc/${pid}/environ`, "utf8").catch(unknown);
  const home = environment?.split("\0").find((entry) => entry.startsWith("HOME="));
  return {
    pid,
    group: Number(fields[2]),
    startTime: fields[19]!,
    home: home?.slice("HOME=".length),
    folder: await readlink(`/proc/${pid}/cwd`).catch(unknown),
  };
}

/** All processes that have not started before `since`, in ticks since boot; none where there is no /proc. */
export async function processes(since: bigint): Promise<Process[]> {
  const entries = await readdir("/proc").catch(() => []);
  const pids = entries.filter((entry) => /^\d+$/.test(entry)).map(Number);
  const all = await Promise.all(pids.map((pid) => processOf(pid, since)));
  return all.filter((found) => found !== undefined);
}
