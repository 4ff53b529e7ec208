import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Duplex, Readable } from "node:stream";
import { openConsole } from "./console.js";
import { type Monitor, openMonitor } from "./monitor.js";

/** How the guest's instructions are executed: by the processor, or by QEMU itself. */
export type Acceleration = "kvm" | "tcg";

/** A user of this machine, by numbers. */
export interface User {
  readonly uid: number;
  readonly gid: number;
}

/** How to start a QEMU. */
export interface Start {
  /** Where to look for QEMU. */
  readonly path: string;
  readonly arguments: readonly string[];
  /** Open files that QEMU gets as its descriptors 4 and up. */
  readonly files?: readonly number[];
  /** Whom it runs as; as whoever we are unless given. */
  readonly user?: User;
}

/** A running QEMU. */
export interface Machine {
  readonly monitor: Monitor;
  /** The last that the guest has written to its serial console, or QEMU to its standard error. */
  console(): string[];
  /** Resolves with the exit code when QEMU is gone, -1 if a signal ended it; rejects if it could not be started. */
  readonly ended: Promise<number>;
  /** Ends QEMU the hard way: nothing of it runs any more when this resolves. */
  end(): Promise<void>;
}

export const program = "qemu-system-x86_64";
const monitorFd = 3;
/** The first descriptor of a given file. */
export const firstFileFd = 4;

/**
 * What every virtual machine here has in common. Nothing that was not asked for: no default devices, no configuration of
 * the host's; QEMU may start no programs and get no more rights than it has.
 */
export const commonArguments = (acceleration: Acceleration): string[] => [
  ...["-nodefaults", "-no-user-config", "-display", "none", "-vga", "none"],
  ...["-sandbox", "on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny"],
  // Without graphics the firmware and the boot loader write to the serial console, too.
  ...["-machine", "pc,graphics=off", "-accel", acceleration, "-cpu", acceleration === "kvm" ? "host" : "max"],
  ...["-chardev", `socket,id=monitor,fd=${monitorFd}`, "-mon", "chardev=monitor,mode=control"],
  ...["-chardev", "stdio,id=console,signal=off", "-serial", "chardev:console"],
];

/** Starts QEMU. It lives in a session of its own: whoever interrupts the runner at its terminal does not mean QEMU. */
export function startMachine({ path, arguments: args, files = [], user }: Start): Machine {
  const stdio = ["pipe", "pipe", "pipe", "pipe", ...files] as ("pipe" | number)[];
  const child = spawn(program, args, { stdio, cwd: "/", env: { PATH: path }, detached: true, ...user });
  const console = openConsole([child.stdout as Readable, child.stderr as Readable]);
  // Nothing is ever written to it; it breaks when QEMU ends.
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
