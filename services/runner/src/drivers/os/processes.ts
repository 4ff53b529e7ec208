import { closeSync, openSync, readFileSync, readlinkSync, readSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";

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

const homeKey = Buffer.from("\0HOME=");
const pieceBytes = 16 * 1024;
/** Thousands of processes of a container may have megabytes each, because they share memory. */
const maxEnvironmentBytes = 256 * 1024;

async function homeIn(environment: FileHandle): Promise<string | undefined> {
  const piece = Buffer.allocUnsafe(pieceBytes);
  let rest = Buffer.from("\0");
  for (let at = 0; at < maxEnvironmentBytes; at += pieceBytes) {
    const { bytesRead } = await environment.read(piece, 0, pieceBytes, at);
    const text = Buffer.concat([rest, piece.subarray(0, bytesRead)]);
    const found = text.indexOf(homeKey);
    const end = found < 0 ? -1 : text.indexOf(0, found + homeKey.length);
    if (end >= 0) return text.toString("utf8", found + homeKey.length, end);
    if (bytesRead < pieceBytes) return undefined;
    rest = text.subarray(found < 0 ? 1 - homeKey.length : found);
  }
  return undefined;
}

/** Asynchronous, because reading the memory of a process can block. */
async function homeOf(pid: number): Promise<string | undefined> {
  try {
    await using environment = await open(`/proc/${pid}/environ`);
    return await homeIn(environment);
  } catch (error) {
    if (isExhausted(error)) throw error;
    return undefined;
  }
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

const atOnce = 8;

/** Returns those of these processes that started at `since`, in ticks since boot, or later. */
export async function processesOf(ids: Iterable<number>, since: bigint): Promise<Process[]> {
  const found: Process[] = [];
  let group: Promise<Process | undefined>[] = [];
  const note = async () => found.push(...(await Promise.all(group)).filter((one) => one !== undefined));
  for (const pid of ids) {
    group.push(processOf(pid, since));
    if (group.length < atOnce) continue;
    await note();
    group = [];
  }
  await note();
  return found;
}
