import { randomInt } from "node:crypto";
import type { Log } from "@ci/kit/process/log";
import type { Mark } from "../../driver.js";
import { Ended, raceAbort, withTimeout } from "../../work/ended.js";
import type { HeldImage } from "./cache.js";
import { type Guest, type Starting, takeBack } from "./guest.js";
import { runCommand } from "./ssh.js";

/** A machine that waits for a build, or is being started to: nothing of any build or owner is in it. */
export interface WarmMachine {
  /** Of its image. */
  readonly identity: string;
  readonly guest: Promise<Guest>;
  /** Whether somebody has logged in. */
  ready(): boolean;
  /** From now on it is this build's. */
  belongsTo(mark: Mark): void;
  /** Ends it, however far it has come, and removes all of it. */
  end(): Promise<void>;
}

export interface WarmMachineOptions {
  readonly boot: (image: HeldImage, mark: Mark, on: Starting) => Promise<Guest>;
  readonly owners: Owners;
  readonly log: Log;
}

/** What waiting machines are marked with: no build has this id, so after a crash they are nobody's. */
const nobody = 0;
const epochs = 2 ** 47;

/** Knows whose the machines are that were started to wait. */
export interface Owners {
  /** Makes a mark of its own for a machine that is to be made. */
  newMark(installation: Mark["installation"]): Mark;
  give(mark: Mark, to: Mark): void;
  gone(mark: Mark): void;
  /** The build that something with this mark belongs to; undefined while it waits for one. */
  of(mark: Mark): Mark | undefined;
}

export function newOwners(): Owners {
  const owners = new Map<number, Mark | undefined>();
  return {
    newMark(installation) {
      // An earlier process may have left machines: theirs are others.
      const epoch = randomInt(1, epochs);
      owners.set(epoch, undefined);
      return { installation, buildId: nobody, epoch };
    },
    give: ({ epoch }, to) => void owners.set(epoch, to),
    gone: ({ epoch }) => void owners.delete(epoch),
    of: (mark) => (mark.buildId === nobody && owners.has(mark.epoch) ? owners.get(mark.epoch) : mark),
  };
}

/** So long a build may take to prepare, unless the queue is configured otherwise. */
const startTimeoutMs = 300_000;

/** Starts a machine that is to wait. Its files and process carry a mark from their beginning on. */
export function startWarmMachine(
  { identity, again, installation }: Pick<HeldImage, "identity" | "again"> & Pick<Mark, "installation">,
  { boot, owners, log }: WarmMachineOptions,
): WarmMachine {
  const mark = owners.newMark(installation);
  const undo: Starting["undo"] = [];
  const stop = new AbortController();
  let ready = false;
  let ended: Promise<void> | undefined;
  const guest = (async () => {
    using time = withTimeout(startTimeoutMs, stop.signal);
    const image = await again();
    undo.push(() => image[Symbol.asyncDispose]());
    const booted = await boot(image, mark, { say: () => undefined, undo, signal: time.signal });
    ready = true;
    return booted;
  })();
  async function end(): Promise<void> {
    stop.abort(new Ended("lost"));
    await guest.catch(() => undefined);
    await takeBack(undo, mark, log);
    owners.gone(mark);
  }
  return {
    identity,
    guest,
    ready: () => ready,
    belongsTo: (build) => owners.give(mark, build),
    end() {
      ended ??= end();
      return ended;
    },
  };
}

/** A machine that needs longer for a command that does nothing is not as good as a new one. */
const answerTimeoutMs = 5_000;

/** Resolves when the machine runs commands; rejects when it does not, or not soon. */
export async function checkResponsive({ client }: Guest, signal: AbortSignal): Promise<void> {
  const late = AbortSignal.timeout(answerTimeoutMs);
  await raceAbort(AbortSignal.any([signal, late]), runCommand(client, "true", ""));
}
