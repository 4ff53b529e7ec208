import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Duplex, Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { sizeText } from "@ci/kit/bytes/size-text";
import { Fault } from "@ci/kit/rpc/fault";
import { Gone } from "../../endings/errors.js";
import { diskLine } from "../../endings/last-line.js";
import type { User } from "../user.js";
import { openConsole } from "./console.js";
import { type Monitor, openMonitor, triedToWrite } from "./monitor.js";

export type Acceleration = "kvm" | "tcg";

export interface Start {
  readonly path: string;
  readonly arguments: readonly string[];
  /** Open files that QEMU gets as descriptors 4 and up. */
  readonly files?: readonly number[];
  readonly user?: User;
  readonly diskBytes?: number;
}

export interface Machine {
  readonly monitor: Monitor;
  /** The last lines of the serial console and of QEMU's standard error. */
  console(): string[];
  /** Resolves with the exit code, -1 after a signal. Rejects if QEMU could not start. */
  readonly ended: Promise<number>;
  /** Aborts before `ended` settles: with Gone, which no guest can cause, or with a Fault if the guest wrote too much. */
  readonly trouble: AbortSignal;
  /** Kills QEMU. Nothing of it runs when this resolves. */
  end(): Promise<void>;
}

export const program = "qemu-system-x86_64";
const monitorFd = 3;
export const firstFileFd = 4;
export const overlayNode = "overlay";

/** Arguments of every machine: no default devices, no host configuration, no child processes, no new privileges. */
export const commonArguments = (acceleration: Acceleration): string[] => [
  ...["-nodefaults", "-no-user-config", "-display", "none", "-vga", "none"],
  ...["-sandbox", "on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny"],
  // Without graphics, firmware and boot loader also write to the serial console.
  ...["-machine", "pc,graphics=off", "-accel", acceleration, "-cpu", acceleration === "kvm" ? "host" : "max"],
  ...["-chardev", `socket,id=monitor,fd=${monitorFd}`, "-mon", "chardev=monitor,mode=control"],
  ...["-chardev", "stdio,id=console,signal=off", "-serial", "chardev:console"],
];

/** What QEMU says if it lacks something at its start. A guest that runs could print it, too. */
const lacking =
  /^qemu-system-\S+: .*: (?:Cannot allocate memory|Resource temporarily unavailable|Too many open files(?: in system)?|No space left on device)$/;

/** Starts QEMU in its own session, so that Ctrl-C in the runner's terminal does not reach it. */
export function startMachine({ path, arguments: args, files = [], user, diskBytes }: Start): Machine {
  const stdio = ["pipe", "pipe", "pipe", "pipe", ...files] as ("pipe" | number)[];
  const child = spawn(program, args, { stdio, cwd: "/", env: { PATH: path }, detached: true, ...user });
  const trouble = new AbortController();
  const endFor = (reason: Error) => {
    trouble.abort(reason);
    child.kill("SIGKILL");
  };
  const fail = (message: string, cause?: unknown) => endFor(new Gone(message, { cause }));
  let isOurs = false;
  const ended = endOf(child).then(
    ({ code, signal }) => {
      const lack = monitor.isOpen() ? undefined : console().find((line) => lacking.test(line));
      if (lack !== undefined) fail("The runner's host lacks memory or another resource for QEMU", new Error(lack));
      if (signal === "SIGKILL" && !isOurs)
        fail("QEMU was killed, probably because the runner's host ran out of memory");
      return code ?? -1;
    },
    (error) => {
      fail("QEMU cannot be started", error);
      throw error;
    },
  );
  ended.catch(() => undefined);
  const console = openConsole([child.stdout as Readable, child.stderr as Readable]);
  // Nothing writes to it; it breaks when QEMU ends.
  child.stdin?.on("error", () => undefined);
  const monitor = openMonitor(child.stdio[monitorFd] as Duplex, () => void endFull());
  async function endFull(): Promise<void> {
    const triedBytes = diskBytes === undefined ? 0 : await triedToWrite(monitor, overlayNode).catch(() => undefined);
    // QEMU has ended.
    if (triedBytes === undefined) return;
    const isOver = diskBytes !== undefined && triedBytes > diskBytes;
    if (isOver) endFor(new Fault("precondition", diskLine(sizeText(diskBytes), "QEMU_DISK")));
    else fail("The disk of the runner is full");
  }
  return {
    monitor,
    console,
    ended,
    trouble: trouble.signal,
    async end() {
      isOurs = true;
      child.kill("SIGKILL");
      await ended.catch(() => undefined);
    },
  };
}

async function endOf(child: ChildProcess): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
  const [code, signal] = await once(child, "close");
  return { code, signal };
}

const endKnownMs = 1_000;

/** What still runs after a failure would have no reader. */
export async function endAfter(machine: Machine, error: unknown): Promise<never> {
  if (error instanceof Fault && error.code === "precondition") await awaitEnd(machine);
  await machine.end();
  machine.trouble.throwIfAborted();
  throw error;
}

/** Waits for the end of a machine, which is known a moment after its connections break. */
export async function awaitEnd({ ended }: Machine): Promise<void> {
  await Promise.race([ended.catch(() => undefined), delay(endKnownMs, undefined, { ref: false })]);
}
