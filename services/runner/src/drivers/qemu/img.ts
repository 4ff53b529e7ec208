import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import type { User } from "./machine.js";

/** How to run qemu-img. */
export interface ImgRun {
  readonly arguments: readonly string[];
  /** Open files that it gets as its descriptors 3 and up: by names it need not open anything. */
  readonly files: readonly number[];
  /** Whom it runs as; as whoever we are unless given. */
  readonly user?: User;
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
  readonly complaint: string;
  /** It wanted to write a larger file than it may. */
  readonly tooLarge: boolean;
}

const blockBytes = 512;

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
 * @throws the signal's reason
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
  try {
    const [[code, by], answer, complaint] = await Promise.all([ended, text(child.stdout!), text(child.stderr!)]);
    return { code, answer, complaint, tooLarge: by === "SIGXFSZ" || complaint.includes("File too large") };
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}

/** What it says last, for a message. */
export const lastLine = ({ complaint }: ImgEnd): string | undefined =>
  complaint.trim().split("\n").at(-1)?.slice(0, 300);
