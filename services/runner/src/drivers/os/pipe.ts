import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, constants, openSync, unlinkSync } from "node:fs";
import { Socket } from "node:net";

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
export async function makePipe(path: string): Promise<string> {
  const [code] = await once(spawn("mkfifo", ["-m", "600", path], { stdio: "ignore" }), "exit");
  if (code !== 0) throw new Error(`mkfifo ended with ${code}`);
  return path;
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
