import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { chownSync, closeSync, constants, openSync, unlinkSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { Socket } from "node:net";
import { join } from "node:path";
import type { User } from "../user.js";

export interface Pipe {
  readonly writeFd: number;
  readonly reader: Socket;
}

/** Makes a named pipe. Jobs that open /dev/stdout need one: Node gives children sockets, which cannot be opened. */
async function makePipe(path: string): Promise<string> {
  const [code] = await once(spawn("mkfifo", ["-m", "600", path], { stdio: "ignore" }), "exit");
  if (code !== 0) throw new Error(`mkfifo ended with ${code}`);
  return path;
}

export interface Pipes {
  take(): Promise<string>;
  refill(): void;
}

/** Opens a store of pipes in the runner's own folder and removes those of an earlier process. */
export async function pipesIn(folder: string): Promise<Pipes> {
  const old = (await readdir(folder)).filter((name) => name.startsWith("pipe."));
  await Promise.all(old.map((name) => rm(join(folder, name), { force: true })));
  const make = () => makePipe(join(folder, `pipe.${randomUUID()}`));
  let spare: Promise<string> | undefined;
  const refill = () => {
    spare ??= make();
    // The one who takes it gets the failure.
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

/** Opens both ends and removes the name, so that nobody else can open it. The user may open /dev/stdout. */
export function openPipe(path: string, user: User | undefined): Pipe {
  if (user) chownSync(path, user.uid, user.gid);
  // The reader first and non-blocking: otherwise each end would wait for the other.
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
