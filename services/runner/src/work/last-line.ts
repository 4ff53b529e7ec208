import { constants } from "node:os";
import { Fault } from "@ci/kit/rpc/fault";
import type { AssignedJob, Driver_Type } from "@ci/proto/builds/v1/queue";

/** The exit code of a shell that does not find a command. */
export const notFound = 127;
const notRunnable = 126;
const firstSignal = 128;

const signalNames = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]));

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

export function exitLine(code: number, { source }: Pick<AssignedJob, "source">, driver: Driver_Type): string {
  if (source && code === notFound) return noGit[driver];
  return `Job failed: exit code ${code}${meaningOf(code)}`;
}

export const noShell = (cause: unknown): Fault =>
  new Fault("precondition", "The image has no /bin/sh: jobs need one, use an image with a shell", undefined, { cause });

export const memoryLine = (limit: string, setting: string): string =>
  `Killed: out of memory (limit ${limit}); raise ${setting} or use less`;

export const diskLine = (limit: string, setting: string): string =>
  `Killed: out of disk (limit ${limit}); raise ${setting} or write less`;

export const filesLine = (limit: number, setting: string): string =>
  `Killed: too many files (limit ${limit}); raise ${setting} or make fewer`;

/** Formats a duration as in settings: `10min`, `90s`. */
export function durationText(ms: number): string {
  if (ms % 60_000 === 0) return `${ms / 60_000}min`;
  return ms % 1_000 === 0 ? `${ms / 1_000}s` : `${ms}ms`;
}
