import { Fault } from "@ci/kit/rpc/fault";

/** What this machine says when it has run out of something or lost its engine. */
const troubles: Readonly<Record<string, string>> = {
  ENOSPC: "the disk of the runner is full",
  EDQUOT: "the disk of the runner is full",
  EROFS: "the disk of the runner is read-only",
  EIO: "the disk of the runner does not work",
  EMFILE: "the runner has too many open files",
  ENFILE: "the runner's host has too many open files",
  ENOMEM: "the runner's host is out of memory",
  EAGAIN: "the runner's host has too many processes",
};

const troubleOf = (error: unknown): string | undefined =>
  error instanceof HostTrouble ? error.message : troubles[(error as NodeJS.ErrnoException)?.code ?? ""];

/** Returns what a user is told about an error: the message of a Fault; most of everything else is for the log. */
export const reasonOf = (error: unknown): string =>
  error instanceof Fault
    ? (Object.values(error.fields ?? {})[0]?.[0] ?? error.message)
    : (troubleOf(error) ?? "internal error");

/** Says that this machine cannot go on, whatever a build asks of it; the message is for the user. */
export class HostTrouble extends Error {
  override readonly name = "HostTrouble";
}

/** Whether an error is the queue's answer that the build is no longer ours. */
export const isConflict = (error: unknown): boolean => error instanceof Fault && error.code === "conflict";

/** Whether this machine, and not what a build asks of it, is the reason of an error. */
export const isHostTrouble = (error: unknown): boolean => troubleOf(error) !== undefined;

/** Whether an error is no fault of the build: another runner, or this one later, may get on with it. */
export const isRunnerFault = (error: unknown): boolean =>
  !(error instanceof Fault) || error.code === "unavailable" || error.code === "internal";
