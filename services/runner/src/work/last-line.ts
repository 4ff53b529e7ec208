import { constants } from "node:os";
import { Fault } from "@ci/kit/rpc/fault";
import type { AssignedJob, Driver_Type } from "@ci/proto/builds/v1/queue";

/** The shell's code for a command that it has not found. */
const notFound = 127;
const notRunnable = 126;
const firstSignal = 128;

const signalNames = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]));

/** What an exit code tells besides its number. */
function meaningOf(code: number): string {
  if (code === notFound) return " (a command was not found)";
  if (code === notRunnable) return " (a command cannot be executed)";
  const signal = signalNames.get(code - firstSignal);
  if (signal === "SIGKILL") return " (SIGKILL, often because memory ran out)";
  return signal === undefined ? "" : ` (${signal})`;
}

const noGit: Readonly<Record<Driver_Type, string>> = {
  docker: "The image has no git: use an image with git for a build with sources",
  qemu: "The image has no git: use an image with git for a build with sources",
  os: "The host of the runner has no git: install it there, or use another runner",
};

/** The last line of a job that ended with this exit code. */
export function exitLine(code: number, { source }: Pick<AssignedJob, "source">, driver: Driver_Type): string {
  if (source && code === notFound) return noGit[driver];
  return `Job failed: exit code ${code}${meaningOf(code)}`;
}

/** Why a container or a virtual machine runs no job at all. */
export const noShell = (cause: unknown): Fault =>
  new Fault("precondition", "The image has no /bin/sh: jobs need one, use an image with a shell", undefined, { cause });

/** The last line of a job whose environment ran out of memory; `setting` is what limits that. */
export const memoryLine = (limit: string, setting: string): string =>
  `Killed: out of memory (limit ${limit}); raise ${setting} or use less`;

/** A duration as settings are written: `10min`, `90s`. */
export function durationText(ms: number): string {
  if (ms % 60_000 === 0) return `${ms / 60_000}min`;
  return ms % 1_000 === 0 ? `${ms / 1_000}s` : `${ms}ms`;
}
