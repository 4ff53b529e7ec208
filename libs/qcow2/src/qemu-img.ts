import { execFile, spawn } from "node:child_process";
import type { FileHandle } from "node:fs/promises";
import type { Readable } from "node:stream";
import { promisify } from "node:util";
import { unreadable } from "./header.js";

interface ImgRun {
  readonly arguments: readonly string[];
  /** Passed as descriptors 3 and up, so that qemu-img need not open anything by name. */
  readonly files: readonly number[];
  readonly user?: { readonly uid: number; readonly gid: number } | undefined;
  readonly path: string;
  readonly limits: ImgLimits;
  readonly signal: AbortSignal;
}

interface ImgLimits {
  readonly cpuSeconds: number;
  readonly memoryBytes: number;
  readonly fileBytes: number;
}

interface ImgEnd {
  readonly code: number | null;
  readonly answer: string;
  readonly complaint: string;
  /** Reports that qemu-img was killed because its output was too long. */
  readonly tooLong: boolean;
  /** Reports that qemu-img tried to write a file above the limit. */
  readonly tooLarge: boolean;
}

export type Info = { readonly virtualBytes: number } | { readonly problem: string };

const blockBytes = 512;
const maxOutputBytes = 64 * 1024;
const maxReasonLength = 300;
const maxInfoSeconds = 10;
const infoLimits: ImgLimits = { cpuSeconds: maxInfoSeconds, memoryBytes: 2 * 1024 ** 3, fileBytes: 0 };

export const hasQemuImg = (path: string): Promise<boolean> =>
  promisify(execFile)("qemu-img", ["--version"], { env: { PATH: path } }).then(
    () => true,
    () => false,
  );

/** Each limit has its own command, because dash's ulimit accepts only one. */
const limitedCommand = ({ cpuSeconds, memoryBytes, fileBytes }: ImgLimits): string =>
  [
    `ulimit -t ${cpuSeconds}`,
    `ulimit -v ${Math.ceil(memoryBytes / 1024)}`,
    `ulimit -f ${Math.ceil(fileBytes / blockBytes)}`,
    "ulimit -c 0",
    'exec qemu-img "$@"',
  ].join(" && ");

/** Runs qemu-img on untrusted files, with limits and the rights of `user`. Throws the signal's reason. */
export async function runImg({ arguments: args, files, user, path, limits, signal }: ImgRun): Promise<ImgEnd> {
  const child = spawn("/bin/sh", ["-c", limitedCommand(limits), "sh", ...args], {
    stdio: ["ignore", "pipe", "pipe", ...files],
    env: { PATH: path },
    cwd: "/",
    killSignal: "SIGKILL",
    signal,
    ...user,
  });
  const exited = new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (...status) => resolve(status));
  });
  const kill = () => child.kill("SIGKILL");
  try {
    const outputs = [child.stdout, child.stderr].map((stream) => readUpTo(maxOutputBytes, stream as Readable, kill));
    const [[code, endSignal], stdout, stderr] = await Promise.all([exited, ...outputs]);
    const tooLarge = endSignal === "SIGXFSZ" || (stderr?.includes("File too large") ?? false);
    const tooLong = stdout === undefined || stderr === undefined;
    return { code, answer: stdout ?? "", complaint: lastLine(stderr ?? ""), tooLong, tooLarge };
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}

/** Describes an image whose header names no other files. `user` must be allowed to read it. Throws the signal's reason. */
export async function imageInfo(
  image: FileHandle,
  { path, user, signal }: Pick<ImgRun, "path" | "user" | "signal">,
): Promise<Info> {
  const timeout = AbortSignal.timeout(2 * maxInfoSeconds * 1_000);
  const end = await runImg({
    arguments: ["info", "-U", "-f", "qcow2", "--output=json", "/dev/fd/3"],
    files: [image.fd],
    user,
    path,
    limits: infoLimits,
    signal: AbortSignal.any([signal, timeout]),
  }).catch((error) => {
    signal.throwIfAborted();
    if (!timeout.aborted) throw error;
    return undefined;
  });
  if (!end) return { problem: unreadable("it takes too long") };
  if (end.tooLong) return { problem: unreadable("it describes itself at too great a length") };
  return end.code === 0
    ? { virtualBytes: JSON.parse(end.answer)["virtual-size"] }
    : { problem: unreadable(end.complaint || "it takes too much time or memory") };
}

async function readUpTo(maxBytes: number, stream: Readable, onExcess: () => void): Promise<string | undefined> {
  const read: Buffer[] = [];
  let sizeBytes = 0;
  for await (const part of stream) {
    sizeBytes += part.length;
    if (sizeBytes <= maxBytes) read.push(part);
    else onExcess();
  }
  return sizeBytes > maxBytes ? undefined : Buffer.concat(read).toString();
}

/** Returns the last line without the file's name, which is only a descriptor's. */
function lastLine(stderr: string): string {
  const line = stderr.trim().split("\n").at(-1) ?? "";
  const reason = line.replace(/^qemu-img: /, "").replace(/^Could not open '[^']*': /, "");
  return reason.replaceAll(/\/dev\/fd\/\d+/g, "file").slice(0, maxReasonLength);
}
