import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { closeSync, constants, openSync, unlinkSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { Socket } from "node:net";
import { join } from "node:path";

/** A pipe for what a job prints. */
export interface Pipe {
  /** The end to hand to the job. */
  readonly writeFd: number;
  readonly reader: Socket;
}

/**
 * Makes a named pipe. A job that opens /dev/stdout or /dev/stderr needs one: what Node gives to its children
 * by itself are sockets, and those cannot be opened.
 */
async function makePipe(path: string): Promise<string> {
  const [code] = await once(spawn("mkfifo", ["-m", "600", path], { stdio: "ignore" }), "exit");
  if (code !== 0) throw new Error(`mkfifo ended with ${code}`);
  return path;
}

/** Named pipes that are made ahead, for starting mkfifo takes a moment that a job should not wait for. */
export interface Pipes {
  /** The path of a pipe that nobody has opened. */
  take(): Promise<string>;
  /** Makes one for the next taker, unless there is one. */
  refill(): void;
}

/** Pipes in a folder of our own; those of an earlier process are removed first. */
export async function pipesIn(folder: string): Promise<Pipes> {
  const old = (await readdir(folder)).filter((name) => name.startsWith("pipe."));
  await Promise.all(old.map((name) => rm(join(folder, name), { force: true })));
  const make = () => makePipe(join(folder, `pipe.${randomUUID()}`));
  let spare: Promise<string> | undefined;
  const refill = () => {
    spare ??= make();
    // Whoever takes it hears of the failure.
    spare.catch(() => undefined);
  };
  refill();
  return {
    refill,
    async take() {
      const ready = spare;
      spare = undefined;
      return ready ?? make();
    },
  };
}

/** Opens both ends of a named pipe and removes its name, so that nobody else can open it. */
export function openPipe(path: string): Pipe {
  // The reader first and without waiting: else each end would wait for the other.
  const readFd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const writeFd = openSync(path, constants.O_WRONLY);
    unlinkSync(path);
    return { writeFd, reader: new Socket({ fd: readFd, readable: true, writable: false }) };
  } catch (error) {
    closeSync(readFd);
    throw error;
  }
}
