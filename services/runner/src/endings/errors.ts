import { Fault } from "@ci/kit/rpc/fault";

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

/** Returns what the user is told about an error; other details go to the log. */
export const reasonOf = (error: unknown): string =>
  error instanceof Fault
    ? (Object.values(error.fields ?? {})[0]?.[0] ?? error.message)
    : (troubleOf(error) ?? "internal error");

/** This machine cannot continue with any build. The message is for the user. */
export class HostTrouble extends Error {
  override readonly name = "HostTrouble";
}

/** What the build runs on has ended for good. */
export class Gone extends HostTrouble {}

/** A disk is full. The build itself may have filled it. */
export class DiskFull extends HostTrouble {}

/** Reports whether the queue says that the build is no longer ours. */
export const isConflict = (error: unknown): boolean => error instanceof Fault && error.code === "conflict";

/** Reports whether this machine caused an error, not the build. */
export const isHostTrouble = (error: unknown): boolean => troubleOf(error) !== undefined;

/** Reports whether another runner, or this one later, may succeed. Any other refusal is final. */
export const mayPass = (error: unknown): boolean =>
  !(error instanceof Fault) || error.code === "unavailable" || error.code === "internal";
