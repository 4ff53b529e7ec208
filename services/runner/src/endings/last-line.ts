import { constants } from "node:os";
import { durationText } from "@ci/kit/process/setting-types";
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

/** The last line of a job whose own time is over. */
export const jobTimeoutLine = (timeoutMs: number): string => `Job timed out after ${durationText(timeoutMs)}`;

export const noShell = (cause: unknown): Fault =>
  new Fault("precondition", "The image has no /bin/sh: jobs need one, use an image with a shell", undefined, { cause });

export const memoryLine = (limit: string, setting: string): string =>
  `Killed: out of memory (limit ${limit}); raise ${setting} or use less`;

export const diskLine = (limit: string, setting: string): string =>
  `Killed: out of disk (limit ${limit}); raise ${setting} or write less`;

export const filesLine = (limit: number, setting: string): string =>
  `Killed: too many files (limit ${limit}); raise ${setting} or make fewer`;

export const unmeasuredLine = (limit: string, setting: string): string =>
  `Killed: disk use cannot be measured (limit ${limit} of ${setting}); use shorter paths or fewer files`;

/** Lines without their advice. Any other line is a reason as it stands. */
const reasons = [
  /^Job failed: (.*)$/s,
  /^Killed: ([^(]+) \(/,
  /^(?:Build|Job|Preparing the environment) (timed out after [^;]+)/,
  /^Build (killed.*)$/,
];

/** Returns the reason that a last line gives, such as `exit code 3`, as a record shows it. */
export const reasonIn = (line: string): string => {
  for (const pattern of reasons) {
    const found = pattern.exec(line)?.[1];
    if (found !== undefined) return found;
  }
  return line;
};
