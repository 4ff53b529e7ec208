import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Duplex, Readable } from "node:stream";
import type { User } from "../user.js";
import { openConsole } from "./console.js";
import { type Monitor, openMonitor } from "./monitor.js";

export type Acceleration = "kvm" | "tcg";

export interface Start {
  readonly path: string;
  readonly arguments: readonly string[];
  /** Open files that QEMU gets as descriptors 4 and up. */
  readonly files?: readonly number[];
  readonly user?: User;
}

export interface Machine {
  readonly monitor: Monitor;
  /** The last lines of the serial console and of QEMU's standard error. */
  console(): string[];
  /** Resolves with the exit code, -1 after a signal. Rejects if QEMU could not start. */
  readonly ended: Promise<number>;
  /** Kills QEMU. Nothing of it runs when this resolves. */
  end(): Promise<void>;
}

export const program = "qemu-system-x86_64";
const monitorFd = 3;
export const firstFileFd = 4;

/** Arguments of every machine: no default devices, no host configuration, no child processes, no new privileges. */
export const commonArguments = (acceleration: Acceleration): string[] => [
  ...["-nodefaults", "-no-user-config", "-display", "none", "-vga", "none"],
  ...["-sandbox", "on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny"],
  // Without graphics, firmware and boot loader also write to the serial console.
  ...["-machine", "pc,graphics=off", "-accel", acceleration, "-cpu", acceleration === "kvm" ? "host" : "max"],
  ...["-chardev", `socket,id=monitor,fd=${monitorFd}`, "-mon", "chardev=monitor,mode=control"],
  ...["-chardev", "stdio,id=console,signal=off", "-serial", "chardev:console"],
];

/** Starts QEMU in its own session, so that Ctrl-C in the runner's terminal does not reach it. */
export function startMachine({ path, arguments: args, files = [], user }: Start): Machine {
  const stdio = ["pipe", "pipe", "pipe", "pipe", ...files] as ("pipe" | number)[];
  const child = spawn(program, args, { stdio, cwd: "/", env: { PATH: path }, detached: true, ...user });
  const console = openConsole([child.stdout as Readable, child.stderr as Readable]);
  // Nothing writes to it; it breaks when QEMU ends.
  child.stdin?.on("error", () => undefined);
  const ended = endOf(child);
  return {
    monitor: openMonitor(child.stdio[monitorFd] as Duplex),
    console,
    ended,
    async end() {
      child.kill("SIGKILL");
      await ended.catch(() => undefined);
    },
  };
}

async function endOf(child: ChildProcess): Promise<number> {
  const [code] = (await once(child, "exit")) as [number | null];
  return code ?? -1;
}
