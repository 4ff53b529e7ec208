import { execFile, spawn } from "node:child_process";
import type { FileHandle } from "node:fs/promises";
import type { Readable } from "node:stream";
import { promisify } from "node:util";
import { unreadable } from "./header.js";

/** How to run qemu-img. */
export interface ImgRun {
  readonly arguments: readonly string[];
  /** Open files that it gets as its descriptors 3 and up: by names it need not open anything. */
  readonly files: readonly number[];
  /** Whom it runs as, by numbers; as whoever we are unless given. */
  readonly user?: { readonly uid: number; readonly gid: number } | undefined;
  /** Where to look for it. */
  readonly path: string;
  readonly limits: ImgLimits;
  readonly signal: AbortSignal;
}

export interface ImgLimits {
  /** Of processor time. */
  readonly cpuSeconds: number;
  readonly memoryBytes: number;
  /** Of each file that it writes. */
  readonly fileBytes: number;
}

/** How it ended. */
export interface ImgEnd {
  /** Null when a signal has ended it. */
  readonly code: number | null;
  readonly answer: string;
  /** The last line of what it complained. */
  readonly complaint: string;
  /** It said more than anybody reads, and was ended. */
  readonly tooLong: boolean;
  /** It wanted to write a larger file than it may. */
  readonly tooLarge: boolean;
}

/** What qemu-img says of an image: the size of its disk, or what is wrong, as words to be put behind its name. */
export type Info = { readonly virtualBytes: number } | { readonly problem: string };

const blockBytes = 512;
const longestText = 64 * 1024;
const longestReason = 300;
const longestLookSeconds = 10;
const lookLimits: ImgLimits = { cpuSeconds: longestLookSeconds, memoryBytes: 2 * 1024 ** 3, fileBytes: 0 };

/** Whether there is a qemu-img on this path. */
export const hasQemuImg = (path: string): Promise<boolean> =>
  promisify(execFile)("qemu-img", ["--version"], { env: { PATH: path } }).then(
    () => true,
    () => false,
  );

/** What a shell says before the program; each limit in a command of its own, since dash takes no more than one. */
const limited = ({ cpuSeconds, memoryBytes, fileBytes }: ImgLimits): string =>
  [
    `ulimit -t ${cpuSeconds}`,
    `ulimit -v ${Math.ceil(memoryBytes / 1024)}`,
    `ulimit -f ${Math.ceil(fileBytes / blockBytes)}`,
    "ulimit -c 0",
    'exec qemu-img "$@"',
  ].join(" && ");

/**
 * Runs qemu-img on files of strangers: with limits, and with no more rights than the user has.
 * @throws the signal's reason, or if it cannot be run
 */
export async function runImg({ arguments: args, files, user, path, limits, signal }: ImgRun): Promise<ImgEnd> {
  const child = spawn("/bin/sh", ["-c", limited(limits), "sh", ...args], {
    stdio: ["ignore", "pipe", "pipe", ...files],
    env: { PATH: path },
    cwd: "/",
    killSignal: "SIGKILL",
    signal,
    ...user,
  });
  const ended = new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (...how) => resolve(how));
  });
  const tooMuch = () => child.kill("SIGKILL");
  try {
    const said = [child.stdout, child.stderr].map((stream) => upTo(longestText, stream as Readable, tooMuch));
    const [[code, by], answer, complaints] = await Promise.all([ended, ...said]);
    const tooLarge = by === "SIGXFSZ" || (complaints?.includes("File too large") ?? false);
    const tooLong = answer === undefined || complaints === undefined;
    return { code, answer: answer ?? "", complaint: lastLine(complaints ?? ""), tooLong, tooLarge };
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}

/**
 * Asks qemu-img about an image whose header names no other files. It gets the file open instead of by its name; a user
 * of its own must be allowed to read it.
 * @throws the signal's reason, or if it cannot be run
 */
export async function imageInfo(
  image: FileHandle,
  { path, user, signal }: Pick<ImgRun, "path" | "user" | "signal">,
): Promise<Info> {
  const late = AbortSignal.timeout(2 * longestLookSeconds * 1_000);
  const end = await runImg({
    arguments: ["info", "-U", "-f", "qcow2", "--output=json", "/dev/fd/3"],
    files: [image.fd],
    ...{ user, path, limits: lookLimits, signal: AbortSignal.any([signal, late]) },
  }).catch((error) => {
    signal.throwIfAborted();
    if (!late.aborted) throw error;
    return undefined;
  });
  if (!end) return { problem: unreadable("it takes too long") };
  if (end.tooLong) return { problem: unreadable("it describes itself at too great a length") };
  return end.code === 0
    ? { virtualBytes: JSON.parse(end.answer)["virtual-size"] }
    : { problem: unreadable(end.complaint || "it takes too much time or memory") };
}

/** The text of a stream; undefined if it has more bytes than this, about which somebody is told. */
async function upTo(bytes: number, stream: Readable, tellMore: () => void): Promise<string | undefined> {
  const read: Buffer[] = [];
  let sizeBytes = 0;
  for await (const part of stream) {
    sizeBytes += part.length;
    if (sizeBytes <= bytes) read.push(part);
    else tellMore();
  }
  return sizeBytes > bytes ? undefined : Buffer.concat(read).toString();
}

/** The last line of what it complained, without the name that we gave it for a file. */
function lastLine(complaints: string): string {
  const line = complaints.trim().split("\n").at(-1) ?? "";
  const reason = line.replace(/^qemu-img: /, "").replace(/^Could not open '[^']*': /, "");
  return reason.replaceAll(/\/dev\/fd\/\d+/g, "file").slice(0, longestReason);
}
