import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { chownSync, closeSync, constants, existsSync, openSync, unlinkSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { Socket } from "node:net";
import { join } from "node:path";
import type { User } from "../user.js";

interface Pipe {
  readonly writeFd: number;
  readonly reader: Socket;
}

/** How many pipes one process makes, and how few may be left before the next one starts. */
const batch = 32;
const low = 8;

const removeAll = (paths: readonly string[]) => Promise.all(paths.map((path) => rm(path, { force: true })));

/** Makes named pipes. Jobs that open /dev/stdout need one: Node gives children sockets, which cannot be opened. */
async function makePipes(folder: string): Promise<string[]> {
  const paths = Array.from({ length: batch }, () => join(folder, `pipe.${randomUUID()}`));
  const [code] = await once(spawn("mkfifo", ["-m", "600", ...paths], { stdio: "ignore" }), "exit");
  if (code === 0) return paths;
  await removeAll(paths);
  throw new Error(`mkfifo ended with ${code}`);
}

export interface Pipes {
  take(): Promise<string>;
  /** Makes more pipes in the background if few are left. */
  refill(): void;
}

/** Opens a store of pipes in the runner's own folder and removes those of an earlier process. */
export async function pipesIn(folder: string): Promise<Pipes> {
  const old = (await readdir(folder)).filter((name) => name.startsWith("pipe."));
  await removeAll(old.map((name) => join(folder, name)));
  const spare: string[] = [];
  let making: Promise<void> | undefined;
  const make = () => {
    making ??= makePipes(folder)
      .then((paths) => void spare.push(...paths))
      .finally(() => {
        making = undefined;
      });
    return making;
  };
  const refill = () => {
    // A later `take` tries again and gets the failure.
    if (spare.length < low) make().catch(() => undefined);
  };
  refill();
  return {
    refill,
    async take() {
      for (;;) {
        for (let path = spare.pop(); path !== undefined; path = spare.pop())
          // Cleaners of temporary files remove pipes that nobody has used for days.
          if (existsSync(path)) return path;
        await make();
      }
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
